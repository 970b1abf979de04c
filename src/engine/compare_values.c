/*
 * The values of pairs, chunk by chunk.
 */
#include <string.h>

#include "engine/chunk.h"
#include "engine/combine.h"
#include "engine/compare_pairs.h"
#include "layout/box.h"
#include "layout/digest.h"
#include "util/alloc.h"
#include "util/error.h"

enum {
    BATCH_TENSORS = 1024,    /* between two agreements */
    BATCH_BYTES = 256 << 20, /* per process */
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

    if (!pair->by_digest) {
        tally_add(&pair->tally, &both);
        return;
    }
    dtx_digest_add(&pair->sums[0], &box, boxes[0]);
    dtx_digest_add(&pair->sums[1], &box, boxes[1]);
}

static enum dtx_status
read_boxes(struct comparing *c, const struct pair *pair,
           const struct dtx_chunks *chunk, char *const *boxes,
           struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < 2 && status == DTX_OK; i++) {
        status = held_read(&c->readers[i], pair->tensors[i], chunk->lo,
                           chunk->len, boxes[i], err);
        c->bytes_read += (uint64_t)dtx_chunks_count(chunk) *
                         held_element_bytes(
                             &c->readers[i].holding->tensors[pair->tensors[i]]);
    }
    return status;
}

/* Compares those chunks of a pair that are this process's turn. */
static enum dtx_status
compare_pair(struct comparing *c, struct pair *pair, struct dtx_error *err)
{
    const struct dtx_difference *d = &pair->difference;
    size_t sizes[2], widest;
    int64_t most;
    struct dtx_chunks chunk;
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < 2; i++) {
        sizes[i] = held_element_bytes(
            &c->readers[i].holding->tensors[pair->tensors[i]]);
    }
    widest = d->types[0].size_bytes > d->types[1].size_bytes
                 ? d->types[0].size_bytes
                 : d->types[1].size_bytes;
    most = (int64_t)(c->work_bytes / (sizes[0] + sizes[1] + widest));
    if (most == 0) {
        dtx_error_set(err, DTX_ERR_LIMIT,
                      "an element of both needs %zu bytes of memory, there are "
                      "%zu",
                      sizes[0] + sizes[1] + widest, c->work_bytes);
        dtx_error_tensor(err, "'%s'", d->name);
        return DTX_ERR_LIMIT;
    }
    dtx_chunks_begin(&chunk, d->ndims[0], d->shapes[0], most);
    while (status == DTX_OK && dtx_chunks_next(&chunk)) {
        size_t count = (size_t)dtx_chunks_count(&chunk);
        char *boxes[2] = {c->work, c->work + count * sizes[0]};

        if (c->turn++ % c->transport->process_count != c->transport->process) {
            continue;
        }
        c->readers[0].stage = c->readers[1].stage = boxes[1] + count * sizes[1];
        status = read_boxes(c, pair, &chunk, boxes, err);
        if (status == DTX_OK) {
            compare_boxes(pair, &chunk, boxes);
        }
    }
    return status;
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
    for (i = 0; i < count && status == DTX_OK; i++) {
        memcpy(pairs[i].sums, sums + 2 * i, sizeof pairs[i].sums);
    }
    dtx_free(bytes);
    dtx_free(own);
    dtx_free(sums);
    return status;
}

/* The end of the batch that begins with a pair: few tensors, and not too many
 * bytes, so that a failure of one process soon stops the others. */
static size_t
batch_end(const struct comparing *c, size_t first)
{
    uint64_t limit =
        (uint64_t)BATCH_BYTES * (uint64_t)c->transport->process_count;
    uint64_t bytes = 0;
    size_t end = first;

    while (end < c->pair_count && end - first < BATCH_TENSORS &&
           bytes < limit) {
        const struct dtx_difference *d = &c->pairs[end].difference;

        bytes += (uint64_t)dtx_shape_count(d->ndims[0], d->shapes[0]) *
                 d->types[0].size_bytes;
        end++;
    }
    return end;
}

enum dtx_status
compare_values(struct comparing *c, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    size_t first, end, i;

    for (first = 0; first < c->pair_count && status == DTX_OK; first = end) {
        end = batch_end(c, first);
        for (i = first; i < end && status == DTX_OK; i++) {
            struct pair *pair = &c->pairs[i];

            if (pair->is_compared &&
                dtx_shape_count(pair->difference.ndims[0],
                                pair->difference.shapes[0]) > 0) {
                status = compare_pair(c, pair, err);
            }
        }
        status = dtx_transport_settle(c->transport, status, err);
        if (status == DTX_OK) {
            status = merge_pairs(c, c->pairs + first, end - first, err);
        }
    }
    return status;
}
