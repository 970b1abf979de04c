/*
 * Schemas: one end of a channel as bytes, to be told to the other end.
 *
 * All processes run on machines of one byte order, as everywhere in dtx.
 */
#ifndef DTX_CHANNEL_SCHEMA_H
#define DTX_CHANNEL_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include <dtx/channel.h>

#include "util/arena.h"
#include "util/text.h"

/* An end as it is read. Strings and arrays are in an arena. */
struct schema {
    const char *text; /* of the layout */
    const char *file;
    const int *map; /* [positions], or NULL */
    int map_count;
    bool has_specs;
    int spec_count;
    struct dtx_tensor_spec *specs;
};

/* Adds an end: its layout, its map or NULL, its tensors or NULL. */
void schema_write(struct dtx_text *bytes, const struct dtx_layout *layout,
                  const int *map, const struct dtx_catalog *catalog);

/* Reads an end. Returns DTX_ERR_COMM where the bytes aren't one. */
enum dtx_status schema_read(const char *bytes, size_t count,
                            struct dtx_arena *arena, struct schema *schema_out,
                            struct dtx_error *err);

#endif
