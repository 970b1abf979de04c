/*
 * What two checkpoints have in common, and what only one has.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/compare/compare_pairs.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/glob.h"

/* All names of one kind of both checkpoints. */
struct match_lists {
    struct match_name *names[2]; /* [counts] sorted */
    int counts[2];
};

static bool
is_wanted(const struct dtx_compare_options *options, const char *name)
{
    bool wanted = options->include_count == 0;
    int i;

    for (i = 0; i < options->include_count && !wanted; i++) {
        wanted = dtx_glob_match(options->include[i], name);
    }
    for (i = 0; i < options->exclude_count && wanted; i++) {
        wanted = !dtx_glob_match(options->exclude[i], name);
    }
    return wanted;
}

/* ---------------------------------------------------------------- names */

/* The layout whose renames count for a checkpoint's names: the other's, where
 * just that has any. NULL: none. */
static const struct dtx_layout *
renaming(const struct comparing *c, int which)
{
    const struct dtx_layout *own = c->readers[which].holding->layout;
    const struct dtx_layout *other = c->readers[1 - which].holding->layout;

    return other->rename_count > 0 && own->rename_count == 0 ? other : NULL;
}

static int
compare_names(const void *left, const void *right)
{
    const struct match_name *a = left;
    const struct match_name *b = right;

    return strcmp(a->name, b->name);
}

static const char *
name_of(const struct dtx_holding *h, bool are_objects, int i)
{
    return are_objects ? h->objects[i].name : h->tensors[i].name;
}

static enum dtx_status
refuse_alike(const struct dtx_holding *h, bool are_objects,
             const struct match_name *two, struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_INVALID,
                  "'%s' and '%s' would both be called '%s'",
                  name_of(h, are_objects, two[0].index),
                  name_of(h, are_objects, two[1].index), two[0].name);
    dtx_error_hint(err, "`rename` of the other layout calls them so");
    return DTX_ERR_INVALID;
}

/* Lists the names of one checkpoint as they are matched. */
static enum dtx_status
list_names(struct comparing *c, int which, bool are_objects,
           struct match_lists *lists, struct dtx_error *err)
{
    const struct dtx_holding *h = c->readers[which].holding;
    const struct dtx_layout *layout = renaming(c, which);
    int count = are_objects ? h->object_count : h->tensor_count, i;
    struct match_name *names =
        dtx_arena_alloc(&c->names, (size_t)count, sizeof *names);

    if (names == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < count; i++) {
        names[i].index = i;
        names[i].name = name_of(h, are_objects, i);
        if (layout != NULL) {
            names[i].name = dtx_layout_rename(layout, names[i].name, &c->names);
        }
        if (names[i].name == NULL) {
            return dtx_error_memory(err);
        }
    }
    if (layout != NULL && count > 1) {
        qsort(names, (size_t)count, sizeof *names, compare_names);
    }
    for (i = 1; i < count; i++) {
        if (strcmp(names[i - 1].name, names[i].name) == 0) {
            return refuse_alike(h, are_objects, &names[i - 1], err);
        }
    }
    lists->names[which] = names;
    lists->counts[which] = count;
    return DTX_OK;
}

/* ---------------------------------------------------------------- attributes
 */

static const struct dtx_attribute *
find_attribute(const struct dtx_attribute *attributes, int count,
               const char *name)
{
    int i;

    for (i = 0; i < count; i++) {
        if (strcmp(attributes[i].name, name) == 0) {
            return &attributes[i];
        }
    }
    return NULL;
}

/* Sets in what attributes two of a kind differ. lists, counts  [2] */
static enum dtx_status
match_attributes(struct comparing *c, const struct dtx_attribute *const *lists,
                 const int *counts, struct dtx_difference *d,
                 struct dtx_error *err)
{
    struct dtx_attribute_difference *found = dtx_arena_alloc(
        &c->names, (size_t)counts[0] + (size_t)counts[1], sizeof *found);
    int which, i;

    if (found == NULL) {
        return dtx_error_memory(err);
    }
    for (which = 0; which < 2; which++) {
        for (i = 0; i < counts[which]; i++) {
            const struct dtx_attribute *a = &lists[which][i];
            const struct dtx_attribute *other =
                find_attribute(lists[1 - which], counts[1 - which], a->name);

            if (other == NULL || (which == 0 && other->digest != a->digest)) {
                found[d->attribute_count++] = (struct dtx_attribute_difference){
                    a->name,
                    {other != NULL || which == 0, other != NULL || which == 1}};
            }
        }
    }
    d->attributes = found;
    return DTX_OK;
}

/* datasets [2] in the catalogs. */
static enum dtx_status
match_dataset_attributes(struct comparing *c, const int *datasets,
                         struct dtx_difference *d, struct dtx_error *err)
{
    const struct dtx_attribute *lists[2];
    int counts[2], i;

    for (i = 0; i < 2; i++) {
        const struct dtx_dataset *dataset =
            &c->readers[i].holding->catalog->datasets[datasets[i]];

        lists[i] = datasets[i] < 0 ? NULL : dataset->attributes;
        counts[i] = datasets[i] < 0 ? 0 : dataset->attribute_count;
    }
    return match_attributes(c, lists, counts, d, err);
}

/* ---------------------------------------------------------------- pairs */

static const struct dtx_raw_type *
raw_type(const struct dtx_holding *holding, struct dtx_type type)
{
    return &holding->catalog->raw_types[type.raw_index];
}

/* True where elements of both are of one type; raw ones as HDF5 has it. */
static bool
is_one_type(const struct comparing *c, const struct dtx_type *types)
{
    const struct dtx_raw_type *a, *b;

    if (types[0].dtype != types[1].dtype || types[0].dtype != DTX_RAW) {
        return types[0].dtype == types[1].dtype;
    }
    a = raw_type(c->readers[0].holding, types[0]);
    b = raw_type(c->readers[1].holding, types[1]);
    return a->byte_count == b->byte_count &&
           memcmp(a->bytes, b->bytes, a->byte_count) == 0;
}

static const char *
type_name(const struct dtx_holding *holding, struct dtx_type type)
{
    return type.dtype == DTX_RAW ? raw_type(holding, type)->description
                                 : dtx_dtype_name(type.dtype);
}

static void
describe_pair(const struct comparing *c, struct pair *pair)
{
    struct dtx_difference *d = &pair->difference;
    int i;

    for (i = 0; i < 2; i++) {
        const struct dtx_holding *h = c->readers[i].holding;
        const struct dtx_held *held = &h->tensors[pair->tensors[i]];

        d->types[i] = held->type;
        d->type_names[i] = type_name(h, held->type);
        d->ndims[i] = held->ndim;
        d->shapes[i] = held->shape;
    }
    d->shapes_differ = d->ndims[0] != d->ndims[1] ||
                       memcmp(d->shapes[0], d->shapes[1],
                              (size_t)d->ndims[0] * sizeof *d->shapes[0]) != 0;
    d->types_differ = !is_one_type(c, d->types);
}

static enum dtx_status
add_pair(struct comparing *c, const char *name, int first, int second,
         struct dtx_error *err)
{
    struct pair pair = {.difference = {.name = name, .is_in = {true, true}},
                        .tensors = {first, second}};
    struct dtx_difference *d = &pair.difference;
    int datasets[2], i;

    describe_pair(c, &pair);
    pair.by_digest = c->options->by_digest && !d->types_differ;
    pair.is_compared =
        !d->shapes_differ &&
        (!d->types_differ ||
         (!c->options->by_digest &&
          tally_is_possible(d->types[0].dtype, d->types[1].dtype)));
    for (i = 0; i < 2; i++) {
        const struct dtx_held *held =
            &c->readers[i].holding->tensors[pair.tensors[i]];

        datasets[i] = held->dataset;
        pair.is_summed[i] =
            pair.is_compared && pair.by_digest && held->side->term_count == 1;
    }
    if (dtx_grow(&c->pairs, c->pair_count, &c->pair_capacity,
                 sizeof *c->pairs) != 0) {
        return dtx_error_memory(err);
    }
    c->pairs[c->pair_count++] = pair;
    return match_dataset_attributes(
        c, datasets, &c->pairs[c->pair_count - 1].difference, err);
}

static enum dtx_status
add_twin(struct comparing *c, const struct twin *twin, struct dtx_error *err)
{
    if (dtx_grow(&c->twins, c->twin_count, &c->twin_capacity,
                 sizeof *c->twins) != 0) {
        return dtx_error_memory(err);
    }
    c->twins[c->twin_count++] = *twin;
    return DTX_OK;
}

static enum dtx_status
add_objects(struct comparing *c, const char *name, int first, int second,
            struct dtx_error *err)
{
    struct twin twin = {.difference = {.name = name,
                                       .is_object = true,
                                       .are_values_compared = true,
                                       .is_in = {true, true}},
                        .objects = {first, second}};
    int datasets[2] = {c->readers[0].holding->objects[first].dataset,
                       c->readers[1].holding->objects[second].dataset};
    enum dtx_status status =
        match_dataset_attributes(c, datasets, &twin.difference, err);

    return status == DTX_OK ? add_twin(c, &twin, err) : status;
}

/* Names are sorted: walks along both lists at once. */
static enum dtx_status
match_names(struct comparing *c, bool are_objects, struct dtx_error *err)
{
    struct match_lists lists;
    enum dtx_status status = list_names(c, 0, are_objects, &lists, err);
    int i = 0, k = 0;

    if (status == DTX_OK) {
        status = list_names(c, 1, are_objects, &lists, err);
    }
    while (status == DTX_OK && (i < lists.counts[0] || k < lists.counts[1])) {
        const struct match_name *a = &lists.names[0][i];
        const struct match_name *b = &lists.names[1][k];
        int order = i == lists.counts[0]   ? 1
                    : k == lists.counts[1] ? -1
                                           : strcmp(a->name, b->name);
        struct dtx_difference d = {.name = order <= 0 ? a->name : b->name,
                                   .is_object = are_objects,
                                   .is_in = {order <= 0, order >= 0}};

        if (!is_wanted(c->options, d.name)) {
            /* of no concern */
        } else if (order != 0) {
            status = compare_add(c, &d, err);
        } else {
            status = are_objects
                         ? add_objects(c, d.name, a->index, b->index, err)
                         : add_pair(c, d.name, a->index, b->index, err);
        }
        i += order <= 0;
        k += order >= 0;
    }
    return status;
}

/* ---------------------------------------------------------------- groups */

/* A group that only one has by itself: that has attributes, or holds nothing.
 * Where tensors are renamed groups needn't have their like. */
static enum dtx_status
add_lone_group(struct comparing *c, const struct dtx_held_group *group,
               int which, struct dtx_error *err)
{
    const struct dtx_attribute *lists[2] = {NULL, NULL};
    int counts[2] = {0, 0};
    struct dtx_difference d = {
        .name = group->path,
        .is_group = true,
        .is_in = {group->attribute_count > 0 || which == 0,
                  group->attribute_count > 0 || which == 1}};
    enum dtx_status status;

    if (renaming(c, 0) != NULL || renaming(c, 1) != NULL) {
        return DTX_OK;
    }
    lists[which] = group->attributes;
    counts[which] = group->attribute_count;
    status = match_attributes(c, lists, counts, &d, err);
    return status == DTX_OK ? compare_add(c, &d, err) : status;
}

static enum dtx_status
add_group_twin(struct comparing *c, const struct dtx_held_group *a,
               const struct dtx_held_group *b, struct dtx_error *err)
{
    const struct dtx_attribute *lists[2] = {a->attributes, b->attributes};
    int counts[2] = {a->attribute_count, b->attribute_count};
    struct twin twin = {.difference = {.name = a->path,
                                       .is_group = true,
                                       .is_in = {true, true}}};
    enum dtx_status status =
        match_attributes(c, lists, counts, &twin.difference, err);

    return status == DTX_OK ? add_twin(c, &twin, err) : status;
}

static enum dtx_status
match_groups(struct comparing *c, struct dtx_error *err)
{
    const struct dtx_holding *a = c->readers[0].holding;
    const struct dtx_holding *b = c->readers[1].holding;
    enum dtx_status status = DTX_OK;
    int i = 0, k = 0;

    if (c->options->include_count + c->options->exclude_count > 0) {
        return DTX_OK; /* only some tensors are of concern */
    }
    while ((i < a->group_count || k < b->group_count) && status == DTX_OK) {
        int order = i == a->group_count ? 1
                    : k == b->group_count
                        ? -1
                        : strcmp(a->groups[i].path, b->groups[k].path);

        if (order < 0) {
            status = add_lone_group(c, &a->groups[i], 0, err);
        } else if (order > 0) {
            status = add_lone_group(c, &b->groups[k], 1, err);
        } else {
            status = add_group_twin(c, &a->groups[i], &b->groups[k], err);
        }
        i += order <= 0;
        k += order >= 0;
    }
    return status;
}

/* ---------------------------------------------------------------- all */

/* A slip in a glob would find no difference in nothing. */
static enum dtx_status
check_selection(const struct comparing *c, struct dtx_error *err)
{
    int count = c->readers[0].holding->tensor_count +
                c->readers[1].holding->tensor_count;

    if (c->pair_count + c->twin_count + c->result->count > 0 || count == 0) {
        return DTX_OK;
    }
    return dtx_error_set(err, DTX_ERR_INVALID,
                         "what is included and excluded leaves none of the "
                         "tensors");
}

enum dtx_status
compare_match(struct comparing *c, struct dtx_error *err)
{
    enum dtx_status status = match_names(c, false, err);

    if (status == DTX_OK) {
        status = match_names(c, true, err);
    }
    if (status == DTX_OK) {
        status = match_groups(c, err);
    }
    return status == DTX_OK ? check_selection(c, err) : status;
}
