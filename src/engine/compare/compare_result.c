/*
 * The result of a comparison: what differs, kept beyond the holdings.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/compare/compare_pairs.h"
#include "layout/shape.h"
#include "util/alloc.h"
#include "util/error.h"

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

/* Copies what goes with the holdings. -1 when out of memory. */
static int
keep_strings(struct dtx_arena *arena, struct dtx_difference *d)
{
    struct dtx_attribute_difference *attributes = dtx_arena_copy(
        arena, d->attributes, (size_t)d->attribute_count, sizeof *attributes);
    int i, failed = attributes == NULL;

    for (i = 0; i < d->attribute_count && !failed; i++) {
        attributes[i].name = dtx_arena_string(arena, attributes[i].name);
        failed = attributes[i].name == NULL;
    }
    d->attributes = attributes;
    d->name = dtx_arena_string(arena, d->name);
    failed |= d->name == NULL;
    for (i = 0; i < 2 && !failed; i++) {
        d->shapes[i] = dtx_arena_copy(arena, d->shapes[i], (size_t)d->ndims[i],
                                      sizeof *d->shapes[i]);
        failed = d->shapes[i] == NULL;
        if (d->faults[i] != NULL) {
            d->faults[i] = dtx_arena_string(arena, d->faults[i]);
            failed |= d->faults[i] == NULL;
        }
        if (d->type_names[i] != NULL) {
            d->type_names[i] = dtx_arena_string(arena, d->type_names[i]);
            failed |= d->type_names[i] == NULL;
        }
    }
    return failed ? -1 : 0;
}

enum dtx_status
compare_add(struct comparing *c, const struct dtx_difference *difference,
            struct dtx_error *err)
{
    struct dtx_comparison *result = c->result;

    if (dtx_grow(&result->differences, result->count, &result->capacity,
                 sizeof *result->differences) != 0) {
        return dtx_error_memory(err);
    }
    result->differences[result->count] = *difference;
    return keep_strings(&result->arena,
                        &result->differences[result->count++]) == 0
               ? DTX_OK
               : dtx_error_memory(err);
}

/* True where nothing differs. */
static bool
is_equal(const struct dtx_difference *d)
{
    return !d->shapes_differ && !d->types_differ && !d->values_differ &&
           d->attribute_count == 0 && d->faults[0] == NULL &&
           d->faults[1] == NULL;
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
            d->values_differ =
                pair->is_compared && pair->sums[0] != pair->sums[1];
        } else if (pair->is_compared && take_tally(arena, pair) != 0) {
            return dtx_error_memory(err);
        }
        d->are_values_compared = pair->is_compared;
        d->element_count = dtx_shape_count(d->ndims[0], d->shapes[0]);
        if (is_equal(d)) {
            c->result->totals.equal_count++;
        } else {
            status = compare_add(c, d, err);
        }
    }
    for (i = 0; i < c->twin_count && status == DTX_OK; i++) {
        if (!is_equal(&c->twins[i].difference)) {
            status = compare_add(c, &c->twins[i].difference, err);
        }
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

enum dtx_status
compare_conclude(struct comparing *c, struct dtx_error *err)
{
    struct dtx_comparison *result = c->result;
    enum dtx_status status = take_pairs(c, err);

    if (status == DTX_OK && result->count > 1) {
        qsort(result->differences, result->count, sizeof *result->differences,
              compare_by_name);
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
