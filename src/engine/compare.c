#include "engine/compare.h"

#include <stdlib.h>
#include <string.h>

#include "engine/combine.h"
#include "engine/compare_pairs.h"
#include "engine/engine.h"
#include "layout/box.h"
#include "storage/hdf5_storage.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/glob.h"

enum { WORK_BYTES_MOST = 12 << 20 }; /* both boxes and the stage */

struct dtx_comparison {
    struct dtx_arena arena;
    struct dtx_comparison_totals totals;
    size_t count, capacity;
    struct dtx_difference *differences;
};

/* ---------------------------------------------------------------- matching */

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

static enum dtx_status
add_difference(struct comparing *c, const struct dtx_difference *difference,
               struct dtx_error *err)
{
    struct dtx_comparison *result = c->result;

    if (dtx_grow(&result->differences, result->count, &result->capacity,
                 sizeof *result->differences) != 0) {
        return dtx_error_memory(err);
    }
    result->differences[result->count] = *difference;
    result->differences[result->count].name =
        dtx_arena_string(&result->arena, difference->name);
    return result->differences[result->count++].name != NULL
               ? DTX_OK
               : dtx_error_memory(err);
}

static enum dtx_status
add_pair(struct comparing *c, int first, int second, struct dtx_error *err)
{
    const struct dtx_held *a = &c->readers[0].holding->tensors[first];
    const struct dtx_held *b = &c->readers[1].holding->tensors[second];
    struct pair pair = {.difference = {.name = a->name,
                                       .is_in = {true, true},
                                       .types = {a->type, b->type},
                                       .ndims = {a->ndim, b->ndim},
                                       .shapes = {a->shape, b->shape}},
                        .tensors = {first, second}};
    struct dtx_difference *d = &pair.difference;

    d->shapes_differ =
        a->ndim != b->ndim ||
        memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) != 0;
    d->types_differ = !is_one_type(c, d->types);
    pair.by_digest = c->options->by_digest && !d->types_differ;
    pair.is_compared =
        !d->shapes_differ &&
        (!d->types_differ || (!c->options->by_digest &&
                              tally_is_possible(a->type.dtype, b->type.dtype)));
    if (dtx_grow(&c->pairs, c->pair_count, &c->pair_capacity,
                 sizeof *c->pairs) != 0) {
        return dtx_error_memory(err);
    }
    c->pairs[c->pair_count++] = pair;
    return DTX_OK;
}

/* Names are sorted: walks along both lists at once. */
static enum dtx_status
match_tensors(struct comparing *c, struct dtx_error *err)
{
    const struct dtx_holding *a = c->readers[0].holding;
    const struct dtx_holding *b = c->readers[1].holding;
    enum dtx_status status = DTX_OK;
    int i = 0, k = 0;

    while ((i < a->tensor_count || k < b->tensor_count) && status == DTX_OK) {
        int order = i == a->tensor_count ? 1
                    : k == b->tensor_count
                        ? -1
                        : strcmp(a->tensors[i].name, b->tensors[k].name);
        const char *name = order <= 0 ? a->tensors[i].name : b->tensors[k].name;

        if (!is_wanted(c->options, name)) {
            /* of no concern */
        } else if (order == 0) {
            status = add_pair(c, i, k, err);
        } else {
            struct dtx_difference d = {.name = name,
                                       .is_in = {order<0, order> 0}};

            status = add_difference(c, &d, err);
        }
        i += order <= 0;
        k += order >= 0;
    }
    return status;
}

static enum dtx_status
match_objects(struct comparing *c, struct dtx_error *err)
{
    const struct dtx_holding *a = c->readers[0].holding;
    const struct dtx_holding *b = c->readers[1].holding;
    enum dtx_status status = DTX_OK;
    int i = 0, k = 0;

    while ((i < a->object_count || k < b->object_count) && status == DTX_OK) {
        int order = i == a->object_count ? 1
                    : k == b->object_count
                        ? -1
                        : strcmp(a->objects[i], b->objects[k]);
        struct dtx_difference d = {.name = order <= 0 ? a->objects[i]
                                                      : b->objects[k],
                                   .is_object = true,
                                   .is_in = {order<0, order> 0}};

        if (order != 0 && is_wanted(c->options, d.name)) {
            status = add_difference(c, &d, err);
        }
        i += order <= 0;
        k += order >= 0;
    }
    return status;
}

/* ---------------------------------------------------------------- result */

/* The indices of an element from its row-major number. */
static const int64_t *
find_indices(struct dtx_arena *arena, const struct dtx_difference *d,
             int64_t place)
{
    int64_t *indices =
        dtx_arena_alloc(arena, (size_t)d->ndims[0], sizeof *indices);
    int dim;

    for (dim = d->ndims[0] - 1; dim >= 0 && indices != NULL; dim--) {
        indices[dim] = place % d->shapes[0][dim];
        place /= d->shapes[0][dim];
    }
    return indices;
}

/* Sets what a tally says of a pair. -1 when out of memory. */
static int
take_tally(struct dtx_arena *arena, struct pair *pair)
{
    struct dtx_difference *d = &pair->difference;
    const struct tally *tally = &pair->tally;
    int i;

    d->values_differ = tally->differing > 0;
    d->differing_count = tally->differing;
    d->is_measured = tally->is_measured;
    d->largest_absolute = tally->largest_absolute;
    d->largest_relative = tally->largest_relative;
    if (!d->values_differ) {
        return 0;
    }
    d->first = find_indices(arena, d, tally->first);
    for (i = 0; i < 2; i++) {
        d->first_values[i] = dtx_arena_string(arena, tally->values[i]);
    }
    return d->first == NULL || d->first_values[0] == NULL ||
                   d->first_values[1] == NULL
               ? -1
               : 0;
}

/* Copies the shapes, which go with the holdings. -1 when out of memory. */
static int
keep_shapes(struct dtx_arena *arena, struct dtx_difference *d)
{
    int i;

    for (i = 0; i < 2; i++) {
        d->shapes[i] = dtx_arena_copy(arena, d->shapes[i], (size_t)d->ndims[i],
                                      sizeof *d->shapes[i]);
    }
    return d->shapes[0] == NULL || d->shapes[1] == NULL ? -1 : 0;
}

static enum dtx_status
take_pairs(struct comparing *c, struct dtx_error *err)
{
    struct dtx_arena *arena = &c->result->arena;
    enum dtx_status status = DTX_OK;
    size_t i;

    c->result->totals.tensor_count = (int64_t)c->pair_count;
    for (i = 0; i < c->pair_count && status == DTX_OK; i++) {
        struct pair *pair = &c->pairs[i];
        struct dtx_difference *d = &pair->difference;

        if (pair->by_digest) {
            d->values_differ = pair->sums[0] != pair->sums[1];
        } else if (pair->is_compared && take_tally(arena, pair) != 0) {
            return dtx_error_memory(err);
        }
        d->are_values_compared = pair->is_compared;
        d->element_count = dtx_shape_count(d->ndims[0], d->shapes[0]);
        if (!d->shapes_differ && !d->types_differ && !d->values_differ) {
            c->result->totals.equal_count++;
            continue;
        }
        status = keep_shapes(arena, d) == 0 ? add_difference(c, d, err)
                                            : dtx_error_memory(err);
    }
    return status;
}

static int
compare_by_name(const void *left, const void *right)
{
    const struct dtx_difference *a = left;
    const struct dtx_difference *b = right;

    return strcmp(a->name, b->name);
}

/* A slip in a glob would find no difference in nothing. */
static enum dtx_status
check_selection(const struct comparing *c, struct dtx_error *err)
{
    int count = c->readers[0].holding->tensor_count +
                c->readers[1].holding->tensor_count;

    if (c->pair_count + c->result->count > 0 || count == 0) {
        return DTX_OK;
    }
    return dtx_error_set(err, DTX_ERR_INVALID,
                         "what is included and excluded leaves none of the "
                         "tensors");
}

static enum dtx_status
compare(struct comparing *c, struct dtx_error *err)
{
    enum dtx_status status = match_tensors(c, err);

    if (status == DTX_OK) {
        status = match_objects(c, err);
    }
    if (status == DTX_OK) {
        status = check_selection(c, err);
    }
    c->work_bytes = c->options->memory_bytes < WORK_BYTES_MOST
                        ? (size_t)c->options->memory_bytes
                        : WORK_BYTES_MOST;
    c->work = dtx_alloc(c->work_bytes, 1);
    if (status == DTX_OK && c->work == NULL) {
        status = dtx_error_memory(err);
    }
    status = dtx_transport_settle(c->transport, status, err);
    if (status == DTX_OK) {
        status = compare_values(c, err);
    }
    if (status == DTX_OK) {
        status = engine_sum(c->transport, c->bytes_read,
                            &c->result->totals.bytes, err);
    }
    if (status == DTX_OK) {
        status = take_pairs(c, err);
    }
    if (status == DTX_OK && c->result->count > 1) {
        qsort(c->result->differences, c->result->count,
              sizeof *c->result->differences, compare_by_name);
    }
    dtx_free(c->work);
    dtx_free(c->pairs);
    return dtx_transport_settle(c->transport, status, err);
}

/* ---------------------------------------------------------------- all */

enum dtx_status
engine_compare(const struct dtx_layout *const *layouts,
               const struct dtx_catalog *const *catalogs,
               struct dtx_transport *transport,
               struct dtx_storage *const *storages,
               const struct dtx_compare_options *options,
               struct dtx_diagnostics *list,
               struct dtx_comparison **comparison_out, struct dtx_error *err)
{
    struct dtx_comparison *result = dtx_alloc(1, sizeof *result);
    struct dtx_holding *holdings[2] = {NULL, NULL};
    struct comparing c = {
        .transport = transport, .options = options, .result = result};
    uint64_t begin = engine_now_ns();
    enum dtx_status status = result == NULL ? dtx_error_memory(err) : DTX_OK;
    int i;

    for (i = 0; i < 2 && status == DTX_OK; i++) {
        storages[i]->ops->use_catalog(storages[i], catalogs[i]);
        c.readers[i].storage = storages[i];
        status = dtx_holding_create(layouts[i], catalogs[i], list, &holdings[i],
                                    err);
        c.readers[i].holding = holdings[i];
    }
    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = compare(&c, err);
    }
    for (i = 0; i < 2; i++) {
        held_reader_finish(&c.readers[i]);
        dtx_holding_destroy(holdings[i]);
    }
    if (status != DTX_OK) {
        dtx_comparison_destroy(result);
        return status;
    }
    result->totals.seconds = (double)(engine_now_ns() - begin) / 1e9;
    *comparison_out = result;
    return DTX_OK;
}

enum dtx_status
dtx_compare(const struct dtx_layout *const *layouts,
            const struct dtx_catalog *const *catalogs,
            struct dtx_transport *transport,
            const struct dtx_compare_options *options,
            struct dtx_diagnostics *list,
            struct dtx_comparison **comparison_out, struct dtx_error *err)
{
    struct dtx_storage *storages[2] = {NULL, NULL};
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < 2 && status == DTX_OK; i++) {
        status = dtx_hdf5_storage_create(&storages[i], err);
    }
    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = engine_compare(layouts, catalogs, transport, storages, options,
                                list, comparison_out, err);
    }
    for (i = 0; i < 2; i++) {
        if (storages[i] != NULL) {
            storages[i]->ops->destroy(storages[i]);
        }
    }
    return status;
}

void
dtx_comparison_destroy(struct dtx_comparison *comparison)
{
    if (comparison != NULL) {
        dtx_arena_finish(&comparison->arena);
        dtx_free(comparison->differences);
        dtx_free(comparison);
    }
}

const struct dtx_comparison_totals *
dtx_comparison_totals(const struct dtx_comparison *comparison)
{
    return &comparison->totals;
}

int
dtx_comparison_difference_count(const struct dtx_comparison *comparison)
{
    return (int)comparison->count;
}

const struct dtx_difference *
dtx_comparison_difference(const struct dtx_comparison *comparison, int index)
{
    return &comparison->differences[index];
}
