/*
 * The values of pairs, chunk by chunk.
 */
#include <string.h>

#include "engine/combine.h"
#include "engine/compare/compare_pairs.h"
#include "engine/step/chunk.h"
#include "layout/digest.h"
#include "layout/shape.h"
#include "util/alloc.h"
#include "util/error.h"

enum {
    BATCH_TENSORS = 1024,   /* put together at a time, at most */
    GATHER_BYTES = 4 << 20, /* of all processes for that */
};

/* Compares one chunk of a pair. boxes [2] hold its values. */
static void
compare_boxes(struct pair *pair, const struct dtx_chunks *chunk,
              char *const *boxes)
{
    const struct dtx_difference *d = &pair->difference;
    struct tally_boxes both = {.types = {d->types[0], d->types[1]},
                               .is_one_type = !d->types_differ,
                               .data = {boxes[0], boxes[1]},
                               .count = dtx_chunks_count(chunk),
                               .ndim = d->ndims[0],
                               .shape = d->shapes[0],
                               .lo = chunk->lo,
                               .len = chunk->len};
    struct dtx_digest_box box = {.element_bytes = d->types[0].size_bytes,
                                 .ndim = d->ndims[0],
                                 .shape = d->shapes[0],
                                 .lo = chunk->lo,
                                 .len = chunk->len};

    int i;

    if (!pair->by_digest) {
        tally_add(&pair->tally, &both);
        return;
    }
    for (i = 0; i < 2; i++) {
        if (!pair->is_summed[i]) {
            dtx_digest_add(&pair->sums[i], &box, boxes[i]);
        }
    }
}

static enum dtx_status
read_boxes(struct comparing *c, const struct pair *pair,
           const struct dtx_chunks *chunk, char *const *boxes,
           struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < 2 && status == DTX_OK; i++) {
        if (pair->is_summed[i]) {
            continue;
        }
        status = held_read(&c->readers[i], pair->tensors[i], chunk->lo,
                           chunk->len, boxes[i], err);
        c->bytes_read += (uint64_t)dtx_chunks_count(chunk) *
                         held_element_bytes(
                             &c->readers[i].holding->tensors[pair->tensors[i]]);
    }
    return status;
}

static enum dtx_status
refuse_memory(const struct comparing *c, const char *name, size_t bytes,
              struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_LIMIT,
                  "an element of both needs %zu bytes of memory, there are %zu",
                  bytes, c->work_bytes);
    dtx_error_tensor(err, "'%s'", name);
    return DTX_ERR_LIMIT;
}

/* Compares one chunk; sizes [2] are of an element with its terms. */
static void
compare_chunk(struct comparing *c, struct pair *pair, const size_t *sizes,
              const struct dtx_chunks *chunk, struct dtx_error *err)
{
    size_t count = (size_t)dtx_chunks_count(chunk);
    char *boxes[2] = {c->work, c->work + count * sizes[0]};
    enum dtx_status status;

    c->readers[0].stage = c->readers[1].stage = boxes[1] + count * sizes[1];
    status = read_boxes(c, pair, chunk, boxes, err);
    if (status == DTX_OK) {
        compare_boxes(pair, chunk, boxes);
    } else {
        turns_fail(&c->turns, status);
    }
}

/* Compares those chunks of a pair that are this process's turn. */
static void
compare_pair(struct comparing *c, struct pair *pair, struct dtx_error *err)
{
    const struct dtx_difference *d = &pair->difference;
    size_t sizes[2], widest;
    uint64_t bytes;
    int64_t most;
    struct dtx_chunks chunk;
    int i;

    for (i = 0; i < 2; i++) {
        sizes[i] = pair->is_summed[i]
                       ? 0
                       : held_element_bytes(
                             &c->readers[i].holding->tensors[pair->tensors[i]]);
    }
    widest = d->types[0].size_bytes > d->types[1].size_bytes
                 ? d->types[0].size_bytes
                 : d->types[1].size_bytes;
    most = (int64_t)(c->work_bytes / (sizes[0] + sizes[1] + widest));
    if (most == 0) {
        turns_fail(&c->turns, refuse_memory(c, d->name,
                                            sizes[0] + sizes[1] + widest, err));
        return;
    }
    dtx_chunks_begin(&chunk, d->ndims[0], d->shapes[0], most);
    while (!c->turns.is_over && dtx_chunks_next(&chunk)) {
        bytes = (uint64_t)dtx_chunks_count(&chunk) * (sizes[0] + sizes[1]);
        if (turns_take(&c->turns, bytes, err)) {
            compare_chunk(c, pair, sizes, &chunk, err);
        }
    }
}

/* ---------------------------------------------------------------- batches */

/* Puts together what the processes have of the pairs of a batch. */
static enum dtx_status
merge_pairs(struct comparing *c, struct pair *pairs, size_t count,
            struct dtx_error *err)
{
    struct dtx_transport *t = c->transport;
    struct tally *own = dtx_alloc(count, sizeof *own);
    uint64_t *sums = dtx_alloc(2 * count, sizeof *sums);
    enum dtx_status status =
        own == NULL || sums == NULL ? dtx_error_memory(err) : DTX_OK;
    char *bytes = NULL;
    size_t i;

    status = dtx_transport_settle(t, status, err);
    for (i = 0; i < count && status == DTX_OK; i++) {
        own[i] = pairs[i].tally;
        pairs[i].tally = (struct tally){0};
        memcpy(sums + 2 * i, pairs[i].sums, sizeof pairs[i].sums);
    }
    if (status == DTX_OK) {
        status = engine_combine(t, sums, 2 * count, err);
    }
    if (status == DTX_OK) {
        status = t->ops->gather(t, own, count * sizeof *own, NULL, &bytes, err);
    }
    for (i = 0; i < count * (size_t)t->process_count && status == DTX_OK; i++) {
        struct tally other;

        memcpy(&other, bytes + i * sizeof other, sizeof other);
        tally_merge(&pairs[i % count].tally, &other);
    }
    for (i = 0; i < 2 * count && status == DTX_OK; i++) {
        if (!pairs[i / 2].is_summed[i % 2]) {
            pairs[i / 2].sums[i % 2] = sums[i];
        }
    }
    dtx_free(bytes);
    dtx_free(own);
    dtx_free(sums);
    return status;
}

/* How many tensors are put together at a time. */
static size_t
batch_tensors(const struct comparing *c)
{
    size_t most = GATHER_BYTES / sizeof(struct tally) /
                      (size_t)c->transport->process_count +
                  1;

    return most < BATCH_TENSORS ? most : BATCH_TENSORS;
}

enum dtx_status
compare_values(struct comparing *c, struct dtx_error *err)
{
    size_t batch = batch_tensors(c);
    enum dtx_status status = DTX_OK;
    size_t first, end, i;

    turns_begin(&c->turns, c->transport, NULL, &c->progress);
    for (first = 0; first < c->pair_count && status == DTX_OK; first = end) {
        end = c->pair_count - first < batch ? c->pair_count : first + batch;
        for (i = first; i < end && !c->turns.is_over; i++) {
            struct pair *pair = &c->pairs[i];

            if (pair->is_compared &&
                !(pair->is_summed[0] && pair->is_summed[1]) &&
                dtx_shape_count(pair->difference.ndims[0],
                                pair->difference.shapes[0]) > 0) {
                compare_pair(c, pair, err);
            }
        }
        status = turns_settle(&c->turns, err);
        if (status == DTX_OK) {
            status = merge_pairs(c, c->pairs + first, end - first, err);
        }
    }
    return status;
}
