/*
 * Templates for file paths and dataset names: literal text with {rank}, axis
 * fields such as {tp:02}, and {name} in a dataset template. "{{" and "}}" are
 * literal braces.
 */
#ifndef DTX_LAYOUT_TEMPLATE_H
#define DTX_LAYOUT_TEMPLATE_H

#include <stdbool.h>

#include "layout/mesh.h"
#include "util/arena.h"
#include "util/text.h"

enum { DTX_FIELD_LITERAL = -3, DTX_FIELD_NAME = -2, DTX_FIELD_RANK = -1 };

struct dtx_template_part {
    int field;           /* an axis index >= 0, or one of the above */
    int width;           /* zero-padded to it; 0: none */
    const char *literal; /* for DTX_FIELD_LITERAL */
};

struct dtx_template {
    const char *source; /* as written */
    int part_count;
    struct dtx_template_part *parts;
};

/*
 * Parses a template. Names {name} are allowed only with allow_name, and then
 * exactly one must stand in it.
 *
 * Returns NULL on success, else what is wrong (in the arena), with *offset_out
 * the byte in the source where.
 */
const char *dtx_template_parse(struct dtx_arena *arena, const char *source,
                               const struct dtx_mesh *mesh, bool allow_name,
                               struct dtx_template *template_out,
                               int *offset_out);

/* Adds the text for one position; name may be NULL where none is needed. */
void dtx_template_render(const struct dtx_template *template,
                         const struct dtx_mesh *mesh, int position,
                         const char *name, struct dtx_text *text);

/*
 * The reverse for a dataset template: the name for which the template gives
 * `path` at this position, in the arena. NULL with *is_other_out set where
 * there is none, and NULL when out of memory.
 */
const char *dtx_template_name(const struct dtx_template *template,
                              const struct dtx_mesh *mesh, int position,
                              const char *path, struct dtx_arena *arena,
                              bool *is_other_out);

/* True where any field tells this axis's coordinates apart ({rank} all). */
bool dtx_template_tells(const struct dtx_template *template, int axis);

/* The bytes of the source up to the last '/' before its first field; 0 where
 * there is none. "a/b-{rank}.h5" gives 2, "model.h5" gives 0. */
int dtx_template_folder_length(const struct dtx_template *template);

#endif
