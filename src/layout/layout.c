#include "layout/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/crc64.h"
#include "util/alloc.h"
#include "util/glob.h"

void
dtx_layout_destroy(struct dtx_layout *layout)
{
    int i;

    if (layout == NULL) {
        return;
    }
    for (i = 0; i < layout->rename_count; i++) {
        regfree(&layout->renames[i].regex);
    }
    dtx_names_finish(&layout->literals);
    dtx_arena_finish(&layout->arena);
    dtx_free(layout);
}

int
dtx_layout_axis_count(const struct dtx_layout *layout)
{
    return layout->mesh.axis_count;
}

const char *
dtx_layout_axis_name(const struct dtx_layout *layout, int axis)
{
    return layout->mesh.names[axis];
}

int
dtx_layout_axis_size(const struct dtx_layout *layout, int axis)
{
    return layout->mesh.sizes[axis];
}

int
dtx_layout_rank_count(const struct dtx_layout *layout)
{
    return layout->mesh.position_count;
}

int64_t
dtx_layout_rank(const struct dtx_layout *layout, int position)
{
    return dtx_mesh_rank(&layout->mesh, position);
}

const char *
dtx_layout_path(const struct dtx_layout *layout)
{
    return layout->path.source;
}

char *
dtx_layout_rank_path(const struct dtx_layout *layout, int position)
{
    struct dtx_text path = {0};

    dtx_layout_file(layout, position, &path);
    if (path.failed) {
        dtx_text_finish(&path);
    }
    return path.data;
}

const char *
dtx_layout_file_name(const struct dtx_layout *layout)
{
    return layout->file;
}

bool
dtx_layout_index_rules(struct dtx_layout *layout)
{
    int *literal_rules = dtx_arena_alloc(
        &layout->arena, (size_t)layout->rule_count, sizeof(int));
    int *glob_rules = dtx_arena_alloc(&layout->arena,
                                      (size_t)layout->rule_count, sizeof(int));
    int i;

    if (literal_rules == NULL || glob_rules == NULL) {
        return false;
    }
    layout->glob_rule_count = 0;
    for (i = 0; i < layout->rule_count; i++) {
        int before = layout->literals.count;
        int number;

        if (!dtx_glob_is_literal(layout->rules[i].glob)) {
            glob_rules[layout->glob_rule_count++] = i;
            continue;
        }
        number = dtx_names_add(&layout->literals, layout->rules[i].glob);
        if (number < 0) {
            return false;
        }
        if (number == before) { /* else an earlier rule has the name */
            literal_rules[number] = i;
        }
    }
    layout->glob_rules = glob_rules;
    layout->literal_rules = literal_rules;
    return true;
}

int
dtx_layout_find_rule(const struct dtx_layout *layout, const char *name)
{
    bool is_indexed = layout->literal_rules != NULL;
    int count = is_indexed ? layout->glob_rule_count : layout->rule_count;
    int found = -1;
    int i;

    if (is_indexed) {
        int number = dtx_names_find(&layout->literals, name);

        found = number >= 0 ? layout->literal_rules[number] : -1;
    }
    for (i = 0; i < count; i++) {
        int rule = is_indexed ? layout->glob_rules[i] : i;

        if (found >= 0 && rule > found) {
            break;
        }
        if (dtx_glob_match(layout->rules[rule].glob, name)) {
            return rule;
        }
    }
    return found;
}

/* What stands before a path in messages and calls. */
static void
add_folder(const struct dtx_layout *layout, bool is_absolute,
           struct dtx_text *text)
{
    size_t length = strlen(layout->folder);

    if (!is_absolute && length > 0 && strcmp(layout->folder, ".") != 0) {
        dtx_text_add(text, layout->folder);
        if (layout->folder[length - 1] != '/') {
            dtx_text_add(text, "/");
        }
    }
}

void
dtx_layout_file(const struct dtx_layout *layout, int position,
                struct dtx_text *text)
{
    const struct dtx_template *path = &layout->path;
    bool is_absolute = path->part_count > 0 &&
                       path->parts[0].field == DTX_FIELD_LITERAL &&
                       path->parts[0].literal[0] == '/';

    add_folder(layout, is_absolute, text);
    dtx_template_render(path, &layout->mesh, position, NULL, text);
}

void
dtx_layout_global_file(const struct dtx_layout *layout, struct dtx_text *text)
{
    add_folder(layout, layout->global[0] == '/', text);
    dtx_text_add(text, layout->global);
}

int64_t
dtx_layout_fingerprint(const struct dtx_layout *layout)
{
    return (int64_t)(dtx_crc64_raw(layout->text, strlen(layout->text)) >> 1);
}

void
dtx_layout_describe_position(const struct dtx_layout *layout, int position,
                             char *text, size_t size)
{
    const struct dtx_mesh *mesh = &layout->mesh;
    size_t length = 0;
    int axis;

    snprintf(text, size, "rank %" PRId64, dtx_mesh_rank(mesh, position));
    for (axis = 0; axis < mesh->axis_count; axis++) {
        length = strlen(text);
        snprintf(text + length, size - length, "%s%s=%d",
                 axis == 0 ? " (" : " ", mesh->names[axis],
                 dtx_mesh_coordinate(mesh, position, axis));
    }
    length = strlen(text);
    if (mesh->axis_count > 0 && length + 1 < size) {
        memcpy(text + length, ")", 2);
    }
}

enum dtx_term
dtx_rule_term(const struct dtx_rule *rule, const struct dtx_mesh *mesh,
              int position)
{
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];

        if (p->kind != DTX_PARTIAL ||
            dtx_mesh_coordinate(mesh, position, p->axis) == 0) {
            continue;
        }
        if (p->op == DTX_SUM || p->op == DTX_PRODUCT) {
            return p->op == DTX_SUM ? DTX_TERM_ZEROS : DTX_TERM_ONES;
        }
    }
    return DTX_TERM_VALUE;
}
