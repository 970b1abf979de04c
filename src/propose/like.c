/*
 * A layout for another mesh, from the rules of one that is there.
 */
#include <string.h>

#include "propose/like.h"
#include "propose/write.h"
#include "util/alloc.h"
#include "util/error.h"

/* -------------------------------------------------------------- matching */

static void
match(struct like *k, int new_axis, int old_axis)
{
    if (k->old_axis[new_axis] < 0 && k->new_axis[old_axis] < 0) {
        k->old_axis[new_axis] = old_axis;
        k->new_axis[old_axis] = new_axis;
    }
}

/* Axes of one name are the same; then those that are for the same thing. */
static void
match_axes(struct like *k)
{
    const struct dtx_mesh *old = &k->layout->mesh;
    int a, b;

    memset(k->old_axis, 0xFF, sizeof k->old_axis);
    memset(k->new_axis, 0xFF, sizeof k->new_axis);
    for (a = 0; a < k->mesh.axis_count; a++) {
        k->styles[a] = propose_style_of(k->mesh.names[a]);
        b = dtx_mesh_find_axis(old, k->mesh.names[a]);
        if (b >= 0) {
            match(k, a, b);
        }
    }
    for (a = 0; a < k->mesh.axis_count; a++) {
        for (b = 0; b < old->axis_count; b++) {
            if (k->styles[a] != STYLE_UNKNOWN &&
                propose_style_of(old->names[b]) == k->styles[a]) {
                match(k, a, b);
            }
        }
    }
}

static bool
is_head(const char *name)
{
    return propose_convention_of(name).role == ROLE_VOCAB &&
           (strstr(name, "head") != NULL || strstr(name, "output") != NULL ||
            strstr(name, "embed_out") != NULL);
}

/* What shapes and names say of the model. */
static void
study(struct like *k)
{
    int in_first = 0, out_first = 0, i;

    k->width = -1;
    for (i = 0; i < k->count; i++) {
        const struct propose_known *t = &k->tensors[i];

        k->has_head |= is_head(t->name);
        if (t->ndim == 1 && propose_convention_of(t->name).role == ROLE_WHOLE) {
            k->width = t->shape[0];
        }
    }
    for (i = 0; i < k->count; i++) {
        const struct propose_known *t = &k->tensors[i];

        if (t->ndim == 2 && t->shape[0] != t->shape[1] &&
            propose_convention_of(t->name).role == ROLE_COLUMN) {
            in_first += t->shape[0] == k->width;
            out_first += t->shape[1] == k->width;
        }
    }
    k->inputs_first = in_first > out_first;
}

/* ------------------------------------------------------------ placements */

static void
add_note(struct like *k, const char *note)
{
    dtx_text_add(&k->note, k->note.length > 0 ? "\n" : "");
    dtx_text_add(&k->note, note);
}

/* A placement as it was, for an axis of another size. The order of placements
 * stands for a stride. */
static void
add_kept(struct like *k, const struct dtx_placement *p, int axis)
{
    struct dtx_placement kept = *p;

    kept.keys[DTX_SHARD_FACTOR] = (struct dtx_shard_value){0};
    if (p->keys[DTX_SHARD_SIZES].list != NULL &&
        k->mesh.sizes[axis] != k->layout->mesh.sizes[p->axis]) {
        kept.keys[DTX_SHARD_SIZES] = (struct dtx_shard_value){0};
        add_note(k, "ambiguous: the sizes of the pieces were given for another "
                    "number of ranks.");
    }
    dtx_placement_write(&kept, &k->body);
}

/* The placements of a rule on axes that are still there; strided ones act
 * last. */
static void
add_old_placements(struct like *k, const struct dtx_rule *rule,
                   const char **before)
{
    int turn, i;

    for (turn = 0; turn < 2; turn++) {
        for (i = 0; i < rule->placement_count; i++) {
            const struct dtx_placement *p = &rule->placements[i];
            int axis = k->new_axis[p->axis];

            if (p->kind == DTX_PARTIAL && turn == 0) {
                add_note(k, "What was still to be added up is a value here.");
            }
            if (p->kind != DTX_SHARD || axis < 0 ||
                (p->keys[DTX_SHARD_FACTOR].number > 1) != (turn == 1)) {
                continue;
            }
            dtx_text_format(&k->body, "%s%s: ", *before, k->mesh.names[axis]);
            add_kept(k, p, axis);
            *before = ", ";
        }
    }
}

/* Tensor parallelism that is new, by convention. */
static void
add_tensor_parallel(struct like *k, const struct propose_known *t, int axis,
                    const char **before)
{
    struct propose_convention c = propose_convention_of(t->name);
    int dim = propose_tensor_dim(c, t->ndim, k->inputs_first);
    struct dtx_placement p = {.kind = DTX_SHARD, .dim = dim};
    int64_t lengths[3];
    int parts;

    if (dim < 0) {
        if (c.role == ROLE_UNKNOWN && t->ndim > 1) {
            add_note(k, "ambiguous: its name isn't known, so that it is whole "
                        "on each rank.");
        }
        return;
    }
    parts =
        t->ndim > dim ? propose_parts(c, t->shape[dim], k->width, lengths) : 0;
    dtx_text_format(&k->body, "%s%s: ", *before, k->mesh.names[axis]);
    *before = ", ";
    if (parts > 0) {
        p.keys[DTX_SHARD_SEGMENTS] = (struct dtx_shard_value){parts, lengths};
        add_note(k, "ambiguous: a fused tensor, by its name; each part is "
                    "split by itself.");
    }
    dtx_placement_write(&p, &k->body);
}

static void
add_new_placements(struct like *k, const struct propose_known *t,
                   enum propose_style style, const char **before)
{
    int axis;

    for (axis = 0; axis < k->mesh.axis_count; axis++) {
        if (k->old_axis[axis] >= 0 || k->styles[axis] != style) {
            continue;
        }
        if (style == STYLE_TENSOR) {
            add_tensor_parallel(k, t, axis, before);
        } else if (style == STYLE_SHARDED && t->ndim != 0) {
            dtx_text_format(&k->body, "%s%s: shard(0)", *before,
                            k->mesh.names[axis]);
            *before = ", ";
        }
    }
}

/* ----------------------------------------------------------------- where */

/* The coordinate on an axis of another size; false where there is none. */
static bool
add_coordinate(struct like *k, int coordinate, int old_size, int new_size,
               const char **comma)
{
    bool is_last = coordinate == old_size - 1;

    if (old_size != new_size && coordinate != 0 && !is_last) {
        return false;
    }
    dtx_text_format(&k->body, "%s%d", *comma,
                    old_size != new_size && is_last ? -1 : coordinate);
    *comma = ", ";
    return true;
}

static void
add_old_where(struct like *k, const struct dtx_rule *rule, const char **before)
{
    int i, c;

    for (i = 0; i < rule->where_count; i++) {
        const struct dtx_where *w = &rule->where[i];
        int axis = k->new_axis[w->axis];
        const char *comma = "";

        if (axis < 0) {
            continue;
        }
        dtx_text_format(&k->body, "%s%s: [", *before, k->mesh.names[axis]);
        for (c = 0; c < w->coordinate_count; c++) {
            if (!add_coordinate(k, w->coordinates[c],
                                k->layout->mesh.sizes[w->axis],
                                k->mesh.sizes[axis], &comma)) {
                add_note(k, "ambiguous: it was held by coordinates between "
                            "the first and the last.");
            }
        }
        dtx_text_add(&k->body, "]");
        *before = ", ";
    }
}

/* On a new pipeline words stand at its ends. */
static void
add_new_where(struct like *k, const struct propose_known *t,
              const char **before)
{
    int axis;

    for (axis = 0; axis < k->mesh.axis_count; axis++) {
        if (k->styles[axis] != STYLE_PIPELINE || k->old_axis[axis] >= 0 ||
            t->ndim < 0 || propose_convention_of(t->name).role != ROLE_VOCAB) {
            continue;
        }
        dtx_text_format(&k->body, "%s%s: %s", *before, k->mesh.names[axis],
                        is_head(t->name) ? "-1"
                        : k->has_head    ? "0"
                                         : "[0, -1]");
        *before = ", ";
    }
}

/* ----------------------------------------------------------------- rules */

/* Padding was for another number of ranks. */
static const char *
split_name(enum dtx_split split)
{
    return dtx_split_names[split == DTX_SPLIT_PAD ? DTX_SPLIT_CHUNK : split];
}

/* Makes body and note of one tensor. */
static void
describe(struct like *k, const struct propose_known *t)
{
    const struct dtx_rule *rule = t->rule;
    const char *before = "";

    k->body.length = k->note.length = 0;
    dtx_text_add(&k->body, "\n    placements: {");
    add_new_placements(k, t, STYLE_TENSOR, &before);
    add_old_placements(k, rule, &before);
    add_new_placements(k, t, STYLE_SHARDED, &before);
    dtx_text_add(&k->body, "}\n");
    before = "    where: {";
    add_old_where(k, rule, &before);
    add_new_where(k, t, &before);
    if (before[0] == ',') {
        dtx_text_add(&k->body, "}\n");
    }
    if (rule->has_split && rule->split != k->layout->split) {
        dtx_text_format(&k->body, "    split: %s\n", split_name(rule->split));
    }
    if (rule->pad_count > 0) {
        add_note(k, "Padding is left out; pad adds it.");
    }
}

static const char *
intern(struct like *k, const struct dtx_text *text)
{
    int number = text->failed || text->length == 0
                     ? -1
                     : dtx_names_add(&k->words, text->data);

    return number < 0 ? NULL : k->words.strings[number];
}

static bool
has_sharded_axis(const struct like *k)
{
    bool is_there = false;
    int axis;

    for (axis = 0; axis < k->mesh.axis_count; axis++) {
        is_there |= k->styles[axis] == STYLE_SHARDED;
    }
    return is_there;
}

static int
add_tensor_rules(struct like *k, struct dtx_text *text)
{
    struct proposed_tensor *tensors =
        dtx_alloc((size_t)k->count, sizeof *tensors);
    const char *plain;
    int i, failed = tensors == NULL;

    for (i = 0; i < k->count && !failed; i++) {
        describe(k, &k->tensors[i]);
        tensors[i].name = k->tensors[i].name;
        tensors[i].body = intern(k, &k->body);
        tensors[i].note = intern(k, &k->note);
        failed = tensors[i].body == NULL ||
                 (tensors[i].note == NULL && k->note.length > 0);
    }
    if (!failed) {
        k->body.length = 0;
        dtx_text_add(&k->body, "\n    placements: {}\n");
        plain = intern(k, &k->body);
        failed = plain == NULL || write_rules(text, tensors, k->count, plain,
                                              !has_sharded_axis(k));
    }
    dtx_free(tensors);
    return failed;
}

/* Without names and shapes: rule by rule. */
static int
add_bare_rules(struct like *k, struct dtx_text *text)
{
    int i;

    dtx_text_add(text, "tensors:\n");
    for (i = 0; i < k->layout->rule_count; i++) {
        const struct dtx_rule *rule = &k->layout->rules[i];
        struct propose_known t = {.name = rule->glob, .ndim = -1, .rule = rule};

        describe(k, &t);
        write_comment(text, 2, k->note.length > 0 ? k->note.data : "");
        dtx_text_add(text, "  - name: ");
        dtx_text_quote(text, rule->glob);
        dtx_text_add(text, k->body.failed ? "" : k->body.data);
    }
    return k->body.failed || k->note.failed;
}

/* ------------------------------------------------------------------ head */

static bool
names_no_axis(const struct dtx_template *template)
{
    int i;

    for (i = 0; i < template->part_count; i++) {
        if (template->parts[i].field >= DTX_FIELD_RANK) {
            return false;
        }
    }
    return true;
}

static void
write_axes_comment(const struct like *k, struct dtx_text *text)
{
    int axis;

    for (axis = 0; axis < k->mesh.axis_count; axis++) {
        struct dtx_text line = {0};
        const char *name = k->mesh.names[axis];

        if (k->old_axis[axis] >= 0) {
            dtx_text_format(&line, "%s: as '%s' was", name,
                            k->layout->mesh.names[k->old_axis[axis]]);
        } else if (k->styles[axis] == STYLE_UNKNOWN) {
            dtx_text_format(&line,
                            "ambiguous: the use of '%s' isn't known; it holds "
                            "replicas",
                            name);
        } else {
            dtx_text_format(&line, "%s: new, %s", name,
                            k->styles[axis] == STYLE_DATA ? "replicas"
                            : k->styles[axis] == STYLE_SHARDED
                                ? "shards the first dimension of everything"
                            : k->styles[axis] == STYLE_TENSOR
                                ? "shards matrices as is usual for their names"
                                : "divides what is numbered");
        }
        write_comment(text, 0, line.failed ? "" : line.data);
        dtx_text_finish(&line);
    }
}

static void
write_head(struct like *k, const char *path, struct dtx_text *text)
{
    dtx_text_format(&k->body,
                    "Proposed by dtx init after %s. Check what is marked "
                    "'ambiguous', and the path.",
                    k->layout->file);
    write_comment(text, 0, k->body.failed ? "" : k->body.data);
    dtx_text_add(text, "\n");
    write_axes_comment(k, text);
    write_mesh(text, &k->mesh);
    if (path == NULL) {
        path = k->mesh.axis_count == 0 ? "checkpoint/model.h5"
                                       : "checkpoint/rank-{rank:05}.h5";
    }
    dtx_text_add(text, "checkpoint:\n  path: ");
    dtx_text_quote(text, path);
    dtx_text_add(text, "\n");
    if (names_no_axis(&k->layout->dataset) &&
        strcmp(k->layout->dataset.source, "{name}") != 0) {
        dtx_text_add(text, "  dataset: ");
        dtx_text_quote(text, k->layout->dataset.source);
        dtx_text_add(text, "\n");
    }
    if (k->layout->split != DTX_SPLIT_CHUNK) {
        dtx_text_format(text, "split: %s\n", split_name(k->layout->split));
    }
}

enum dtx_status
propose_from_layout(const struct dtx_layout *layout,
                    const struct propose_known *tensors, int count,
                    const struct dtx_proposed_mesh *mesh, const char *path,
                    char **text_out, struct dtx_error *err)
{
    struct like k = {.layout = layout, .tensors = tensors, .count = count};
    struct dtx_text text = {0};
    int failed;

    if (!mesh->is_given) {
        k.mesh = layout->mesh;
        k.mesh.ranks = NULL;
    } else if (!propose_set_mesh(mesh, &k.mesh)) {
        return dtx_error_set(err, DTX_ERR_LIMIT, "the mesh is too large");
    }
    match_axes(&k);
    study(&k);
    write_head(&k, path, &text);
    failed = like_add_numbered(&k, &text) != 0 ||
             (count > 0 ? add_tensor_rules(&k, &text)
                        : add_bare_rules(&k, &text)) != 0;
    failed |= text.failed || k.body.failed || k.note.failed;
    dtx_names_finish(&k.words);
    dtx_names_finish(&k.patterns);
    dtx_text_finish(&k.body);
    dtx_text_finish(&k.note);
    if (failed) {
        dtx_text_finish(&text);
        return dtx_error_memory(err);
    }
    *text_out = text.data;
    return DTX_OK;
}
