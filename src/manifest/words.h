/*
 * Words: the values of a layout, as layout files write them.
 */
#ifndef DTX_MANIFEST_WORDS_H
#define DTX_MANIFEST_WORDS_H

#include "layout/layout.h"
#include "util/text.h"

/* Adds a name without quotes where every YAML reader takes it as text. */
void manifest_add_name(struct dtx_text *text, const char *name);

/* Adds "[1, 2]". */
void manifest_add_list(struct dtx_text *text, const int64_t *values, int count);

/* Adds a placement: "shard(0)", "{shard: 0, block: 2}", … */
void manifest_add_placement(struct dtx_text *text, const struct dtx_mesh *mesh,
                            const struct dtx_placement *placement);

#endif
