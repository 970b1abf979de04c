#include "engine/step/digest.h"

#include <inttypes.h>

#include "engine/combine.h"
#include "engine/engine.h"
#include "engine/step/element.h"
#include "layout/crc64.h"
#include "layout/digest.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"

enum dtx_status
engine_begin_digests(struct engine *e, struct dtx_error *err)
{
    size_t count = (size_t)e->plan->tensor_count;

    e->digests.tensor_count = e->plan->tensor_count;
    e->digests.sums =
        dtx_alloc(DIGEST_KIND_COUNT * count, sizeof *e->digests.sums);
    e->digests.targets = dtx_alloc(count, sizeof *e->digests.targets);
    e->digests.places = dtx_alloc(count, sizeof *e->digests.places);
    return e->digests.sums == NULL || e->digests.targets == NULL ||
                   e->digests.places == NULL
               ? dtx_error_memory(err)
               : DTX_OK;
}

void
engine_finish_digests(struct engine *e)
{
    dtx_free(e->digests.sums);
    dtx_free(e->digests.targets);
    dtx_free(e->digests.places);
    e->digests = (struct digests){0};
}

/* ---------------------------------------------------------------- adding */

static uint64_t
volume(int ndim, const int64_t *len)
{
    uint64_t elements = 1;
    int dim;

    for (dim = 0; dim < ndim; dim++) {
        elements *= (uint64_t)len[dim];
    }
    return elements;
}

/* Slices of which nothing is summed: of all but the first term, and where no
 * copies are compared, of all but the first copy. */
static bool
is_left_out(const struct digest_region *d, const struct dtx_slice *slice)
{
    return slice->term != 0 ||
           (slice->copy > 0 && d->copied == DIGEST_KIND_COUNT);
}

/* Sees whether the slices are the whole region as one copy, and stand in the
 * tensor as they stand in the region. Those of one copy share no element. */
static void
join_slices(struct digest_region *d)
{
    int ndim = d->tensor->ndim;
    uint64_t elements = 0;
    int i, dim;

    for (i = 0; i < d->region->slice_count; i++) {
        const struct dtx_slice *slice = &d->slices[i];

        if (is_left_out(d, slice)) {
            continue;
        }
        if (elements == 0) {
            d->copy = slice->copy;
            d->copy_count = slice->copy_count;
        } else if (slice->copy != d->copy ||
                   slice->copy_count != d->copy_count) {
            return;
        }
        for (dim = 0; dim < ndim; dim++) {
            int64_t global = slice->global[dim] - slice->lo[dim];

            if (elements > 0 && global != d->global[dim]) {
                return;
            }
            d->global[dim] = global;
        }
        elements += volume(ndim, slice->len);
    }
    d->is_one = elements == volume(ndim, d->region->len);
}

uint64_t
digest_place_factor(int shard)
{
    return dtx_crc64_power((uint64_t)shard + 1);
}

/* Sees which kind is what the target has, and of which of its shards. */
static void
find_place(struct digest_region *d, const struct engine *e)
{
    const struct dtx_side *dst =
        e->plan->classes[d->tensor->class_index]->final;
    struct element element = element_of(e->plan, d->region->tensor);

    d->final = DIGEST_KIND_COUNT;
    if (d->copied == DIGEST_KIND_COUNT || e->shards != NULL ||
        e->plan->target->view == DTX_VIEW_GLOBAL) {
        return;
    }
    d->final = d->copied == DIGEST_STRAIGHT_READER ||
                       d->copied == DIGEST_STRAIGHT_WRITER
                   ? d->copied
               : element.converts_on_write || element.term_count > 1
                   ? DIGEST_TARGET
                   : DIGEST_WRITTEN;
    d->places = d->copied == DIGEST_STRAIGHT_READER ? DIGEST_PLACES_READER
                                                    : DIGEST_PLACES_WRITER;
    d->place_factor = digest_place_factor(
        dtx_side_shard(dst, d->region->positions[0]) % dst->product_count);
}

void
digest_region_begin(struct digest_region *d, struct engine *e,
                    const struct dtx_region *region,
                    const struct dtx_slice *slices, enum digest_kind copied)
{
    d->digests = &e->digests;
    d->tensor = &e->plan->tensors[region->tensor];
    d->region = region;
    d->slices = slices;
    d->copied = copied;
    find_place(d, e);
    d->is_one = false;
    if (e->shards == NULL) {
        join_slices(d);
    }
}

/* The factor of a copy's difference from the first; of the first itself the
 * sum of all others' factors, since it is taken from each of them. */
static uint64_t
copy_factor(int copy, int copy_count)
{
    uint64_t factor = dtx_crc64_power(1), sum = 0;
    int i;

    if (copy > 0) {
        return dtx_crc64_power((uint64_t)copy);
    }
    for (i = 1; i < copy_count; i++) {
        sum ^= factor;
        factor = dtx_crc64_multiply(factor, dtx_crc64_power(1));
    }
    return sum;
}

static uint64_t *
sum_of(const struct digest_region *d, enum digest_kind kind)
{
    return &d->digests->sums[(size_t)kind * (size_t)d->digests->tensor_count +
                             (size_t)d->region->tensor];
}

/* Adds what a slice and a box of the region share. */
static void
add_slice(const struct digest_region *d, enum digest_kind kind,
          size_t element_bytes, const struct dtx_slice *slice,
          const int64_t *lo, const int64_t *len, const void *data)
{
    int64_t global[DTX_NDIM_MAX], shared[DTX_NDIM_MAX], at[DTX_NDIM_MAX];
    struct dtx_digest_box box = {.element_bytes = element_bytes,
                                 .ndim = d->tensor->ndim,
                                 .shape = d->tensor->shape,
                                 .lo = global,
                                 .len = shared,
                                 .array_shape = len,
                                 .array_lo = at};
    uint64_t sum = 0;
    int dim;

    if (slice->copy > 0 && kind != d->copied) {
        return;
    }
    for (dim = 0; dim < box.ndim; dim++) {
        int64_t begin = dtx_max(lo[dim], slice->lo[dim]);
        int64_t end =
            dtx_min(lo[dim] + len[dim], slice->lo[dim] + slice->len[dim]);

        if (begin >= end) {
            return;
        }
        shared[dim] = end - begin;
        at[dim] = begin - lo[dim];
        global[dim] = slice->global[dim] + begin - slice->lo[dim];
    }
    dtx_digest_add(&sum, &box, data);
    if (slice->copy == 0) {
        *sum_of(d, kind) ^= sum;
    }
    if (slice->copy == 0 && kind == d->final) {
        *sum_of(d, d->places) ^= dtx_crc64_multiply(sum, d->place_factor);
    }
    if (slice->copy_count > 1 && kind == d->copied) {
        *sum_of(d, DIGEST_COPIES) ^= dtx_crc64_multiply(
            sum, copy_factor(slice->copy, slice->copy_count));
    }
}

void
digest_region_add(const struct digest_region *d, enum digest_kind kind,
                  size_t element_bytes, const int64_t *lo, const int64_t *len,
                  const void *data)
{
    int i;

    if (d->digests->sums == NULL) { /* in memory nothing is summed */
        return;
    }
    if (d->is_one) {
        int64_t global[DTX_NDIM_MAX];
        struct dtx_slice all = {.lo = lo,
                                .len = len,
                                .global = global,
                                .copy = d->copy,
                                .copy_count = d->copy_count};
        int dim;

        for (dim = 0; dim < d->tensor->ndim; dim++) {
            global[dim] = d->global[dim] + lo[dim];
        }
        add_slice(d, kind, element_bytes, &all, lo, len, data);
        return;
    }
    for (i = 0; i < d->region->slice_count; i++) {
        if (!is_left_out(d, &d->slices[i])) {
            add_slice(d, kind, element_bytes, &d->slices[i], lo, len, data);
        }
    }
}

/* ---------------------------------------------------------------- settling */

enum dtx_status
engine_gather_digests(struct engine *e, int first, int count, uint64_t *sums,
                      struct dtx_error *err)
{
    size_t tensors = (size_t)e->digests.tensor_count;
    int i, kind;

    for (i = 0; i < count; i++) {
        for (kind = 0; kind < DIGEST_KIND_COUNT; kind++) {
            sums[i * DIGEST_KIND_COUNT + kind] =
                e->digests.sums[(size_t)kind * tensors + (size_t)(first + i)];
        }
    }
    return engine_combine(e->transport, sums, (size_t)count * DIGEST_KIND_COUNT,
                          err);
}

static uint64_t
finish(const struct engine *e, enum digest_kind kind, int tensor, size_t bytes)
{
    const struct dtx_tensor *t = &e->plan->tensors[tensor];
    size_t at = (size_t)kind * (size_t)e->digests.tensor_count;

    uint64_t sum = e->digests.sums[at + (size_t)tensor];

    if (kind == DIGEST_READ || kind == DIGEST_WRITTEN) {
        size_t count = (size_t)e->digests.tensor_count;

        at = DIGEST_STRAIGHT_READER * count + (size_t)tensor;
        sum ^= e->digests.sums[at] ^ e->digests.sums[at + count];
    }
    return dtx_digest_finish(sum, t->ndim, t->shape, bytes);
}

/* The digest that the source's manifest has for a tensor, if any. */
static bool
find_manifest_digest(const struct dtx_plan *plan, int tensor,
                     uint64_t *digest_out)
{
    const struct dtx_rule *rule =
        &plan->source->rules[plan->tensors[tensor].src_rule];

    return plan->source->is_manifest && rule->digest != NULL &&
           dtx_digest_parse(rule->digest, digest_out);
}

bool
digest_wants_source(const struct dtx_plan *plan, int tensor)
{
    uint64_t ignored;

    return find_manifest_digest(plan, tensor, &ignored);
}

static enum dtx_status
check_source(const struct engine *e, int tensor, const struct element *element,
             struct dtx_error *err)
{
    enum digest_kind kind =
        element->converts_on_read ? DIGEST_SOURCE : DIGEST_READ;
    uint64_t expected, found;

    if (!find_manifest_digest(e->plan, tensor, &expected)) {
        return DTX_OK;
    }
    found = finish(e, kind, tensor, element->src.size_bytes);
    if (found == expected) {
        return DTX_OK;
    }
    dtx_error_set(err, DTX_ERR_DIGEST,
                  "the source is damaged: its digest is %016" PRIx64
                  ", but its manifest says %016" PRIx64,
                  found, expected);
    dtx_error_tensor(err, "'%s'", e->plan->tensors[tensor].src_name);
    dtx_error_hint(err, "'dtx verify %s' says more", e->plan->source->file);
    return DTX_ERR_DIGEST;
}

static enum dtx_status
check_copies(const struct engine *e, int tensor, struct dtx_error *err)
{
    size_t at = (size_t)DIGEST_COPIES * (size_t)e->digests.tensor_count;

    if (e->digests.sums[at + (size_t)tensor] == 0) {
        return DTX_OK;
    }
    dtx_error_set(err, DTX_ERR_DIGEST,
                  "what was to be written differs between its copies");
    dtx_error_tensor(err, "'%s'", e->plan->tensors[tensor].dst_name);
    dtx_error_hint(err, "memory or network changes data, or dtx has a bug");
    return DTX_ERR_DIGEST;
}

static enum dtx_status
check_written(const struct engine *e, int tensor, const struct element *element,
              struct dtx_error *err)
{
    uint64_t read = finish(e, DIGEST_READ, tensor, element->wire.size_bytes);
    uint64_t written =
        finish(e, DIGEST_WRITTEN, tensor, element->wire.size_bytes);

    if (element->term_count > 1 || read == written) {
        return DTX_OK;
    }
    dtx_error_set(err, DTX_ERR_DIGEST,
                  "what was to be written isn't what was read: digest "
                  "%016" PRIx64 " became %016" PRIx64,
                  read, written);
    dtx_error_tensor(err, "'%s'", e->plan->tensors[tensor].dst_name);
    dtx_error_hint(err, "memory or network changes data, or dtx has a bug");
    return DTX_ERR_DIGEST;
}

static uint64_t
places_of(const struct engine *e, int tensor)
{
    size_t count = (size_t)e->digests.tensor_count;
    const uint64_t *sums = e->digests.sums + (size_t)tensor;

    return sums[DIGEST_PLACES_READER * count] ^
           sums[DIGEST_PLACES_WRITER * count];
}

enum dtx_status
engine_settle_digests(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = engine_combine(
        e->transport, e->digests.sums,
        DIGEST_KIND_COUNT * (size_t)e->digests.tensor_count, err);
    int i;

    for (i = 0; i < e->digests.tensor_count && status == DTX_OK; i++) {
        struct element element = element_of(e->plan, i);
        bool differs = element.converts_on_write || element.term_count > 1;

        status = check_source(e, i, &element, err);
        if (status == DTX_OK) {
            status = check_written(e, i, &element, err);
        }
        if (status == DTX_OK) {
            status = check_copies(e, i, err);
        }
        e->digests.targets[i] =
            finish(e, differs ? DIGEST_TARGET : DIGEST_WRITTEN, i,
                   element.dst.size_bytes);
        e->digests.places[i] = places_of(e, i);
    }
    return dtx_transport_settle(e->transport, status, err);
}
