#include "propose/evidence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "propose/write.h"
#include "util/alloc.h"
#include "util/glob.h"
#include "util/names.h"
#include "util/text.h"

/* So many tensors of a group are looked into. */
enum { SAMPLED_MAX = 4 };

/* The dataset of a tensor's lowest position that has it. */
static int
first_dataset(const struct evidence *e, int tensor)
{
    const int *datasets = e->tensors[tensor].datasets;
    int position;

    for (position = 0; position < e->position_count; position++) {
        if (datasets[position] >= 0) {
            return datasets[position];
        }
    }
    return -1;
}

/* ---------------------------------------------------------------- gathering */

static int
count_names(const struct dtx_catalog *catalog, struct dtx_names *names)
{
    int i;

    for (i = 0; i < catalog->dataset_count; i++) {
        if (dtx_names_add(names, catalog->datasets[i].path) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Sets which position has which dataset. */
static int
place_datasets(struct evidence *e, const struct dtx_names *names)
{
    const struct dtx_catalog *catalog = e->catalog;
    int *file_position =
        dtx_alloc((size_t)catalog->file_count, sizeof *file_position);
    int i, position;

    e->tensor_count = names->count;
    e->tensors =
        dtx_arena_alloc(&e->arena, (size_t)names->count, sizeof *e->tensors);
    if (file_position == NULL || e->tensors == NULL) {
        dtx_free(file_position);
        return -1;
    }
    for (position = e->position_count - 1; position >= 0; position--) {
        file_position[catalog->position_file[position]] = position;
    }
    for (i = 0; i < names->count; i++) {
        struct evidence_tensor *t = &e->tensors[i];

        t->name = dtx_arena_string(&e->arena, names->strings[i]);
        t->datasets = dtx_arena_alloc(&e->arena, (size_t)e->position_count,
                                      sizeof *t->datasets);
        if (t->name == NULL || t->datasets == NULL) {
            dtx_free(file_position);
            return -1;
        }
        memset(t->datasets, 0xFF, (size_t)e->position_count * sizeof(int));
    }
    for (i = 0; i < catalog->dataset_count; i++) {
        int tensor = dtx_names_find(names, catalog->datasets[i].path);

        e->tensors[tensor].datasets[file_position[catalog->datasets[i].file]] =
            i;
    }
    dtx_free(file_position);
    return 0;
}

static void
add_shape(struct dtx_text *key, const struct dtx_dataset *d)
{
    int dim;

    for (dim = 0; dim < d->ndim; dim++) {
        dtx_text_format(key, ",%" PRId64, d->shape[dim]);
    }
    dtx_text_add(key, ";");
}

static bool
are_alike(const struct dtx_dataset *a, const struct dtx_dataset *b)
{
    return a->ndim == b->ndim &&
           (a->ndim == 0 || memcmp(a->shape, b->shape,
                                   (size_t)a->ndim * sizeof *a->shape) == 0);
}

/* The key of a tensor's group: pattern, type, and the shapes of its shards
 * (one, where they are all the same). */
static bool
add_key(const struct evidence *e, int tensor, struct dtx_text *key)
{
    const struct evidence_tensor *t = &e->tensors[tensor];
    const struct dtx_dataset *datasets = e->catalog->datasets;
    const struct dtx_dataset *first = &datasets[first_dataset(e, tensor)];
    bool varies = false;
    int i;

    for (i = 0; i < e->position_count; i++) {
        varies |=
            t->datasets[i] >= 0 && !are_alike(&datasets[t->datasets[i]], first);
    }
    key->length = 0;
    dtx_glob_pattern(key, t->name, -1);
    dtx_text_format(key, "|%d %zu %d|", (int)first->type.dtype,
                    first->type.size_bytes, first->form == DTX_FORM_OBJECT);
    for (i = 0; i < e->position_count && varies; i++) {
        if (t->datasets[i] >= 0) {
            add_shape(key, &datasets[t->datasets[i]]);
        }
    }
    if (!varies) {
        add_shape(key, first);
    }
    return varies;
}

static int
group_tensors(struct evidence *e)
{
    struct dtx_names keys = {0};
    struct dtx_text key = {0};
    int i, failed = 0;

    e->groups =
        dtx_arena_alloc(&e->arena, (size_t)e->tensor_count, sizeof *e->groups);
    for (i = 0; i < e->tensor_count && e->groups != NULL && !failed; i++) {
        bool varies = add_key(e, i, &key);
        int number = key.failed ? -1 : dtx_names_add(&keys, key.data);
        const struct dtx_dataset *d =
            &e->catalog->datasets[first_dataset(e, i)];

        failed = number < 0;
        if (!failed) {
            e->tensors[i].group = number;
            if (e->groups[number].count++ == 0) {
                e->groups[number] = (struct evidence_group){
                    d->form == DTX_FORM_OBJECT ? -1 : d->ndim, i, 1, varies};
            }
        }
    }
    e->group_count = keys.count;
    dtx_names_finish(&keys);
    dtx_text_finish(&key);
    return failed || e->groups == NULL ? -1 : 0;
}

static int
choose_samples(struct evidence *e)
{
    size_t datasets = (size_t)e->catalog->dataset_count;
    int *chosen = dtx_alloc((size_t)e->group_count, sizeof *chosen);
    int i, position;

    e->samples = dtx_arena_alloc(&e->arena, datasets, sizeof *e->samples);
    e->wanted = dtx_arena_alloc(&e->arena, datasets, sizeof *e->wanted);
    if (chosen == NULL || e->samples == NULL || e->wanted == NULL) {
        dtx_free(chosen);
        return -1;
    }
    for (i = 0; i < e->tensor_count && e->position_count > 1; i++) {
        const struct evidence_tensor *t = &e->tensors[i];

        if (e->groups[t->group].ndim < 0 || chosen[t->group]++ >= SAMPLED_MAX) {
            continue;
        }
        for (position = 0; position < e->position_count; position++) {
            if (t->datasets[position] >= 0) {
                e->wanted[t->datasets[position]] = true;
            }
        }
    }
    dtx_free(chosen);
    return 0;
}

int
evidence_gather(struct evidence *e, const struct dtx_layout *files,
                const struct dtx_catalog *catalog)
{
    struct dtx_names names = {0};
    int failed;

    *e = (struct evidence){.catalog = catalog,
                           .position_count = files->mesh.position_count};
    failed = count_names(catalog, &names) != 0 ||
             place_datasets(e, &names) != 0 || group_tensors(e) != 0 ||
             choose_samples(e) != 0;
    dtx_names_finish(&names);
    return failed ? -1 : 0;
}

void
evidence_finish(struct evidence *e)
{
    dtx_arena_finish(&e->arena);
}

/* ------------------------------------------------------------------ answers */

bool
evidence_is_sampled(const struct evidence *e, int tensor)
{
    int dataset = first_dataset(e, tensor);

    return dataset >= 0 && e->wanted[dataset];
}

enum evidence_answer
evidence_compare(const struct evidence *e, int tensor, int a, int b)
{
    const int *datasets = e->tensors[tensor].datasets;
    const struct evidence_sample *x, *y;

    if (datasets[a] < 0 || datasets[b] < 0) {
        return INCOMPARABLE;
    }
    if (!are_alike(&e->catalog->datasets[datasets[a]],
                   &e->catalog->datasets[datasets[b]])) {
        return DIFFERENT;
    }
    x = &e->samples[datasets[a]];
    y = &e->samples[datasets[b]];
    if (!x->is_taken || !y->is_taken) {
        return UNTOLD;
    }
    if (x->digest != y->digest) {
        return DIFFERENT;
    }
    return x->is_constant && e->catalog->datasets[datasets[a]].ndim > 0 ? UNTOLD
                                                                        : SAME;
}

int64_t
evidence_extent(const struct evidence *e, int tensor, int position, int dim)
{
    int dataset = e->tensors[tensor].datasets[position];

    return dataset < 0 || dim >= e->catalog->datasets[dataset].ndim
               ? -1
               : e->catalog->datasets[dataset].shape[dim];
}

bool
evidence_is_at(const struct evidence *e, int tensor,
               const struct dtx_mesh *mesh, int axis, int coordinate)
{
    int position;

    for (position = 0; position < e->position_count; position++) {
        if (e->tensors[tensor].datasets[position] >= 0 &&
            dtx_mesh_coordinate(mesh, position, axis) == coordinate) {
            return true;
        }
    }
    return false;
}

/* Adds what one tensor shows. */
static void
add_tensor(const struct evidence *e, int tensor, const struct dtx_mesh *mesh,
           int axis, struct axis_evidence *sum, bool *is_same)
{
    bool is_there = false, is_missing = false;
    int position, c;

    for (c = 0; c < mesh->sizes[axis]; c++) {
        if (evidence_is_at(e, tensor, mesh, axis, c)) {
            is_there = true;
        } else {
            is_missing = true;
        }
    }
    sum->restricted |= is_there && is_missing;
    for (position = 0; position < e->position_count; position++) {
        c = dtx_mesh_coordinate(mesh, position, axis);
        if (c == 0) {
            continue;
        }
        switch (evidence_compare(e, tensor, position,
                                 position - mesh->strides[axis])) {
        case SAME:
            *is_same = true;
            break;
        case DIFFERENT:
            sum->differs = true;
            break;
        case UNTOLD:
        case INCOMPARABLE:
            break;
        }
    }
}

struct axis_evidence
evidence_on_axis(const struct evidence *e, int group,
                 const struct dtx_mesh *mesh, int axis)
{
    struct axis_evidence sum = {0};
    bool is_same = false;
    int i;

    for (i = e->groups[group].first; i < e->tensor_count; i++) {
        if (e->tensors[i].group == group) {
            add_tensor(e, i, mesh, axis, &sum, &is_same);
        }
    }
    sum.is_untold = !sum.differs && !is_same && mesh->sizes[axis] > 1 &&
                    e->groups[group].ndim > 0;
    return sum;
}
