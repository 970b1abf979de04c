/*
 * Where a checkpoint's files stand, as a layout.
 */
#include <dtx/propose.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/mesh.h"
#include "propose/naming.h"
#include "propose/write.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

/* The files in the order of the mesh. */
struct placing {
    struct naming naming;
    struct dtx_mesh mesh;
    int axis_field[DTX_AXIS_MAX];
    int rank_field; /* -1: none */
    int *owner;     /* [positions] file, or -1 */
};

struct ranked_file {
    int64_t rank;
    int file;
};

static int
compare_ranked(const void *left, const void *right)
{
    const struct ranked_file *a = left;
    const struct ranked_file *b = right;

    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return a->file < b->file ? -1 : a->file > b->file;
}

static void
choose_axes(struct placing *p)
{
    struct naming *n = &p->naming;
    int i;

    p->rank_field = -1;
    for (i = 0; i < n->field_count; i++) {
        if (n->fields[i].axis == NULL) {
            p->rank_field = i;
        } else {
            p->axis_field[p->mesh.axis_count] = i;
            p->mesh.names[p->mesh.axis_count++] = n->fields[i].axis;
        }
    }
}

/* Only ranks are in the names: one axis for them, in their order. */
static enum dtx_status
place_ranks(struct placing *p, struct dtx_error *err)
{
    int count = p->naming.file_count, i;
    struct ranked_file *files =
        dtx_arena_alloc(&p->naming.arena, (size_t)count, sizeof *files);

    if (files == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < count; i++) {
        files[i] = (struct ranked_file){
            naming_number(&p->naming, i, p->rank_field), i};
    }
    qsort(files, (size_t)count, sizeof *files, compare_ranked);
    for (i = 0; i < count; i++) {
        p->owner[i] = files[i].file;
    }
    return DTX_OK;
}

/* An axis whose lowest number is 1; -1: none. */
static int
find_counted_from_1(const struct placing *p)
{
    int axis, file;

    for (axis = 0; axis < p->mesh.axis_count; axis++) {
        int64_t lowest = INT64_MAX;

        for (file = 0; file < p->naming.file_count; file++) {
            int64_t number =
                naming_number(&p->naming, file, p->axis_field[axis]);

            lowest = number < lowest ? number : lowest;
        }
        if (lowest == 1) {
            return axis;
        }
    }
    return -1;
}

static enum dtx_status
refuse_hole(const struct placing *p, int position, struct dtx_error *err)
{
    struct dtx_text place = {0};
    int axis;

    for (axis = 0; axis < p->mesh.axis_count; axis++) {
        dtx_text_format(&place, "%s%s=%d", axis > 0 ? " " : "",
                        p->mesh.names[axis],
                        dtx_mesh_coordinate(&p->mesh, position, axis));
    }
    dtx_error_set(err, DTX_ERR_SOURCE, "there is no file for %s",
                  place.failed ? "a place of the mesh" : place.data);
    axis = find_counted_from_1(p);
    if (axis >= 0) {
        dtx_error_hint(err,
                       "'%s' counts from 1 in the names, where layouts count "
                       "from 0: make links that do",
                       p->mesh.names[axis]);
    } else {
        dtx_error_hint(err, "the names of %d files give a mesh of %d ranks",
                       p->naming.file_count, p->mesh.position_count);
    }
    dtx_text_finish(&place);
    return DTX_ERR_SOURCE;
}

static enum dtx_status
place_axes(struct placing *p, struct dtx_error *err)
{
    int file, axis, position;

    for (file = 0; file < p->naming.file_count; file++) {
        position = 0;
        for (axis = 0; axis < p->mesh.axis_count; axis++) {
            position +=
                (int)naming_number(&p->naming, file, p->axis_field[axis]) *
                p->mesh.strides[axis];
        }
        p->owner[position] = file;
    }
    for (position = 0; position < p->mesh.position_count; position++) {
        if (p->owner[position] < 0) {
            return refuse_hole(p, position, err);
        }
    }
    return DTX_OK;
}

/* The size of each axis: one more than its largest number. */
static bool
measure_axes(struct placing *p)
{
    const struct naming *n = &p->naming;
    int axis, file;

    for (axis = 0; axis < p->mesh.axis_count; axis++) {
        int64_t largest = 0;

        for (file = 0; file < n->file_count; file++) {
            int64_t number = naming_number(n, file, p->axis_field[axis]);

            largest = number > largest ? number : largest;
        }
        if (largest > 1 << 20) {
            return false;
        }
        p->mesh.sizes[axis] = (int)largest + 1;
    }
    return dtx_mesh_finish(&p->mesh);
}

static enum dtx_status
place(struct placing *p, struct dtx_error *err)
{
    bool is_plain;
    int i;

    choose_axes(p);
    is_plain = p->mesh.axis_count == 0;
    if (is_plain && p->rank_field >= 0) {
        p->mesh.names[0] = "ranks";
        p->mesh.sizes[0] = p->naming.file_count;
        p->mesh.axis_count = 1;
        dtx_mesh_finish(&p->mesh);
    } else if (!measure_axes(p) ||
               p->mesh.position_count < p->naming.file_count ||
               p->mesh.position_count / 64 > p->naming.file_count) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "the numbers in the files' names are no "
                             "coordinates of a mesh");
    }
    p->owner = dtx_arena_alloc(&p->naming.arena, (size_t)p->mesh.position_count,
                               sizeof *p->owner);
    if (p->owner == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < p->mesh.position_count; i++) {
        p->owner[i] = -1;
    }
    return is_plain && p->rank_field >= 0 ? place_ranks(p, err)
                                          : place_axes(p, err);
}

/* Sets the ranks where they aren't 0, 1, … */
static int
set_ranks(struct placing *p)
{
    int64_t *ranks;
    bool is_plain = true;
    int i;

    if (p->rank_field < 0) {
        return 0;
    }
    ranks = dtx_arena_alloc(&p->naming.arena, (size_t)p->mesh.position_count,
                            sizeof *ranks);
    for (i = 0; i < p->mesh.position_count && ranks != NULL; i++) {
        ranks[i] = naming_number(&p->naming, p->owner[i], p->rank_field);
        is_plain = is_plain && ranks[i] == i;
    }
    p->mesh.ranks = is_plain ? NULL : ranks;
    return ranks == NULL ? -1 : 0;
}

static void
add_literal(struct dtx_text *path, const char *text, int length)
{
    int i;

    for (i = 0; i < length; i++) {
        dtx_text_add_bytes(path, text + i, 1);
        if (text[i] == '{' || text[i] == '}') {
            dtx_text_add_bytes(path, text + i, 1);
        }
    }
}

static void
add_template(const struct naming *n, struct dtx_text *path)
{
    int i;

    for (i = 0; i < n->part_count; i++) {
        const struct name_part *part = &n->parts[i];
        const struct name_field *field;

        if (part->field < 0) {
            add_literal(path, part->text, part->length);
            continue;
        }
        field = &n->fields[part->field];
        dtx_text_format(path, "{%s",
                        field->axis != NULL ? field->axis : "rank");
        if (field->width > 0) {
            dtx_text_format(path, ":0%d", field->width);
        }
        dtx_text_add(path, "}");
    }
}

enum dtx_status
dtx_propose_files(const char *const *paths, int path_count, char **text_out,
                  struct dtx_error *err)
{
    struct placing p = {0};
    struct dtx_text path = {0}, text = {0};
    enum dtx_status status;

    if (path_count < 1) {
        return dtx_error_set(err, DTX_ERR_SOURCE, "there are no files");
    }
    status = naming_find(&p.naming, paths, path_count, err);
    if (status == DTX_OK) {
        status = place(&p, err);
    }
    if (status == DTX_OK && set_ranks(&p) != 0) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK) {
        add_template(&p.naming, &path);
        write_mesh(&text, &p.mesh);
        write_ranks(&text, &p.mesh);
        dtx_text_add(&text, "checkpoint:\n  path: ");
        dtx_text_quote(&text,
                       path.failed || path.data == NULL ? "" : path.data);
        dtx_text_add(&text, "\ntensors:\n  - {name: \"**\", placements: {}}\n");
        status = path.failed || text.failed ? dtx_error_memory(err) : DTX_OK;
    }
    naming_finish(&p.naming);
    dtx_text_finish(&path);
    if (status != DTX_OK) {
        dtx_text_finish(&text);
        return status;
    }
    *text_out = text.data;
    return DTX_OK;
}
