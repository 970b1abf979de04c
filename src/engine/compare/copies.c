#include "engine/compare/copies.h"

#include <stdio.h>
#include <string.h>

#include "engine/combine.h"
#include "engine/compare/turns.h"
#include "engine/step/chunk.h"
#include "layout/digest.h"
#include "layout/reduce.h"
#include "layout/shape.h"
#include "plan/class/tile_walk.h"
#include "util/alloc.h"
#include "util/error.h"

enum {
    BATCH_COPIES = 1 << 15, /* judged together, but a tensor at least */
    FAILURE_TEXT = 512,
    FAILURES_MOST = 64,      /* told per process and batch */
    ELEMENT_BYTES_MOST = 16, /* of types that can be pending */
};

/* A copy that a process could not read. */
struct failure {
    int copy; /* in the batch */
    char message[FAILURE_TEXT];
};

struct batch {
    struct copies_job *job;
    struct copy *copies;
    size_t count, capacity;
    struct failure *failures; /* [FAILURES_MOST] */
    int failure_count;
    struct turns turns;
};

/* ---------------------------------------------------------------- listing */

static enum dtx_status
add_copy(struct batch *b, struct copy copy, struct dtx_error *err)
{
    enum dtx_status status = held_find(b->job->reader, copy.tensor,
                                       copy.position, &copy.dataset, err);

    if (status != DTX_OK || copy.dataset < 0) {
        return status;
    }
    if (dtx_grow(&b->copies, b->count, &b->capacity, sizeof *b->copies) != 0) {
        return dtx_error_memory(err);
    }
    b->copies[b->count++] = copy;
    return DTX_OK;
}

/* Adds the copies in one shard's datasets. */
static enum dtx_status
list_shard(struct batch *b, int tensor, int shard, struct dtx_error *err)
{
    const struct dtx_holding *h = b->job->reader->holding;
    const struct dtx_held *held = &h->tensors[tensor];
    const struct dtx_side *side = held->side;
    enum dtx_status status = DTX_OK;
    int i;

    for (i = side->shard_first[shard];
         i < side->shard_first[shard + 1] && status == DTX_OK; i++) {
        struct copy copy = {
            .tensor = tensor,
            .group = b->job->is_plain ? shard : shard % side->product_count,
            .shard = shard,
            .position = side->positions[i]};

        copy.term = b->job->is_plain
                        ? DTX_TERM_VALUE
                        : dtx_rule_term(held->rule, side->mesh, copy.position);
        if (dtx_side_is_first(side, h->layout, copy.position)) {
            status = add_copy(b, copy, err);
        }
    }
    return status;
}

/* True where a position holds the tensor, if it isn't for what is pending. */
static bool
is_present(const struct dtx_held *held, int position)
{
    const struct dtx_side *side = held->side;
    bool is_pending[DTX_AXIS_MAX] = {false};
    int axis, i;

    for (i = 0; i < held->rule->placement_count; i++) {
        const struct dtx_placement *p = &held->rule->placements[i];

        is_pending[p->axis] |= p->kind == DTX_PARTIAL;
    }
    for (axis = 0; axis < side->mesh->axis_count; axis++) {
        const int *held_at = side->presence.coordinates[axis];
        int coordinate = dtx_mesh_coordinate(side->mesh, position, axis);

        for (i = 0; held_at != NULL && !is_pending[axis]; i++) {
            if (i == side->presence.counts[axis]) {
                return false;
            }
            if (held_at[i] == coordinate) {
                break;
            }
        }
    }
    return true;
}

/* A plan's target has no shards for what stands beside the value of a pending
 * reduction; the rule tells where that is. */
static enum dtx_status
list_neutral(struct batch *b, int tensor, struct dtx_error *err)
{
    const struct dtx_holding *h = b->job->reader->holding;
    const struct dtx_held *held = &h->tensors[tensor];
    enum dtx_status status = DTX_OK;
    int position;

    for (position = 0;
         position < h->layout->mesh.position_count && status == DTX_OK;
         position++) {
        struct copy copy = {
            .tensor = tensor,
            .shard = dtx_side_shard(held->side, position),
            .position = position,
            .term = dtx_rule_term(held->rule, held->side->mesh, position)};

        if (copy.term != DTX_TERM_VALUE && is_present(held, position) &&
            dtx_side_is_first(held->side, h->layout, position)) {
            status = add_copy(b, copy, err);
        }
    }
    return status;
}

static bool
has_pending(const struct dtx_rule *rule)
{
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].kind == DTX_PARTIAL) {
            return true;
        }
    }
    return false;
}

/* Lists the copies of a tensor, group by group: the products of pieces, and
 * within each the terms of a reduction. */
static enum dtx_status
list_copies(struct batch *b, int tensor, struct dtx_error *err)
{
    const struct dtx_holding *h = b->job->reader->holding;
    const struct dtx_held *held = &h->tensors[tensor];
    const struct dtx_side *side = held->side;
    enum dtx_status status = DTX_OK;
    int product, term;

    if (h->layout->view == DTX_VIEW_GLOBAL) {
        return add_copy(b,
                        (struct copy){.tensor = tensor,
                                      .shard = -1,
                                      .position = side->positions[0]},
                        err);
    }
    for (product = 0; product < side->product_count; product++) {
        for (term = 0; term < side->term_count && status == DTX_OK; term++) {
            status = list_shard(b, tensor, term * side->product_count + product,
                                err);
        }
    }
    if (status == DTX_OK && !b->job->is_plain &&
        side->tiling->partial_count == 0 && has_pending(held->rule)) {
        status = list_neutral(b, tensor, err);
    }
    return status;
}

/* ---------------------------------------------------------------- reading */

/* Turns ones into zeros, and all else into something else. */
static void
subtract_ones(enum dtx_dtype dtype, char *data, int64_t count)
{
    char one[ELEMENT_BYTES_MOST];
    size_t size = dtx_dtype_size(dtype), i;
    int64_t element;

    dtx_reduce_neutral(DTX_PRODUCT, dtype, one);
    for (element = 0; element < count; element++) {
        for (i = 0; i < size; i++) {
            data[(size_t)element * size + i] ^= one[i];
        }
    }
}

/* Adds a piece of a copy, which stands in the stage, to its sum. */
static void
add_piece(const struct batch *b, struct copy *copy, const int64_t *lo,
          const int64_t *len)
{
    const struct dtx_held *held =
        &b->job->reader->holding->tensors[copy->tensor];
    int64_t at[DTX_NDIM_MAX], global[DTX_NDIM_MAX], shared[DTX_NDIM_MAX];
    struct dtx_digest_box box = {.element_bytes = held->type.size_bytes,
                                 .ndim = held->ndim,
                                 .shape = held->shape,
                                 .lo = global,
                                 .len = shared,
                                 .array_shape = len,
                                 .array_lo = at};
    struct dtx_tile_walk walk;
    int i;

    dtx_tile_walk_begin(&walk, held->side, copy->shard, lo, len);
    while (dtx_tile_walk_next(&walk)) {
        dtx_tile_walk_get(&walk, at, global, shared);
        for (i = 0; i < held->ndim; i++) {
            at[i] -= lo[i];
        }
        dtx_digest_add(&copy->sum, &box, b->job->reader->stage);
    }
}

/* Takes what can't be read for a failure, or notes it to be told. */
static void
note_failure(struct batch *b, struct copy *copy, enum dtx_status status,
             struct dtx_error *err)
{
    if (b->job->is_plain) {
        held_describe(b->job->reader->holding, copy->tensor, copy->position,
                      err);
        turns_fail(&b->turns, status);
        return;
    }
    if (!copy->is_unread && b->failure_count < FAILURES_MOST) {
        struct failure *failure = &b->failures[b->failure_count++];

        failure->copy = (int)(copy - b->copies);
        snprintf(failure->message, sizeof failure->message, "%.511s",
                 err->message);
    }
    copy->is_unread = true;
}

/* Reads and sums those pieces of a copy that are this process's turn. What
 * can't be read is no failure, but found. */
static void
read_copy(struct batch *b, struct copy *copy, struct dtx_error *err)
{
    struct copies_job *job = b->job;
    struct dtx_storage *storage = job->reader->storage;
    const struct dtx_held *held = &job->reader->holding->tensors[copy->tensor];
    size_t size = held->type.size_bytes;
    int64_t shape[DTX_NDIM_MAX];
    struct dtx_chunks chunk;

    if (copy->shard < 0) {
        memcpy(shape, held->shape, (size_t)held->ndim * sizeof *shape);
    } else {
        dtx_side_logical_shape(held->side, copy->shard, shape);
    }
    if (dtx_shape_count(held->ndim, shape) == 0) {
        return;
    }
    if (size > job->stage_bytes) {
        turns_fail(&b->turns,
                   dtx_error_set(err, DTX_ERR_LIMIT,
                                 "an element of %zu bytes doesn't fit into "
                                 "the memory",
                                 size));
        return;
    }
    dtx_chunks_begin(&chunk, held->ndim, shape,
                     (int64_t)(job->stage_bytes / size));
    while (!b->turns.is_over && dtx_chunks_next(&chunk)) {
        int64_t count = dtx_chunks_count(&chunk);
        enum dtx_status status;

        if (!turns_take(&b->turns, (uint64_t)count * size, err) ||
            copy->is_unread) {
            continue;
        }
        status = storage->ops->read(storage, copy->dataset, chunk.lo, chunk.len,
                                    job->reader->stage, err);
        if (status != DTX_OK) {
            note_failure(b, copy, status, err);
            continue;
        }
        job->bytes_read += (uint64_t)count * size;
        if (copy->term == DTX_TERM_ONES) {
            subtract_ones(held->type.dtype, job->reader->stage, count);
        }
        add_piece(b, copy, chunk.lo, chunk.len);
    }
}

/* ---------------------------------------------------------------- batches */

/* Puts the sums of all processes together. */
static enum dtx_status
gather_sums(struct batch *b, struct dtx_error *err)
{
    uint64_t *sums = dtx_alloc(b->count, sizeof *sums);
    enum dtx_status status = sums == NULL ? dtx_error_memory(err) : DTX_OK;
    size_t i;

    status = dtx_transport_settle(b->job->transport, status, err);
    for (i = 0; i < b->count && status == DTX_OK; i++) {
        sums[i] = b->copies[i].sum;
    }
    if (status == DTX_OK) {
        status = engine_combine(b->job->transport, sums, b->count, err);
    }
    for (i = 0; i < b->count && status == DTX_OK; i++) {
        b->copies[i].sum = sums[i];
    }
    dtx_free(sums);
    return status;
}

/* Lets all processes think alike of what could not be read, whoever tried. */
static enum dtx_status
share_unread(struct batch *b, struct dtx_error *err)
{
    bool *flags = dtx_alloc(b->count, sizeof *flags);
    enum dtx_status status = flags == NULL ? dtx_error_memory(err) : DTX_OK;
    size_t i;

    status = dtx_transport_settle(b->job->transport, status, err);
    for (i = 0; i < b->count && status == DTX_OK; i++) {
        flags[i] = b->copies[i].is_unread;
    }
    if (status == DTX_OK) {
        status = engine_combine_flags(b->job->transport, flags, b->count, err);
    }
    for (i = 0; i < b->count && status == DTX_OK; i++) {
        b->copies[i].is_unread = flags[i];
    }
    dtx_free(flags);
    return status;
}

static void
blame(const struct batch *b, const struct copy *copy, const char *message)
{
    const struct dtx_holding *h = b->job->reader->holding;

    findings_add(b->job->findings, h->tensors[copy->tensor].name,
                 h->catalog->files[h->catalog->datasets[copy->dataset].file],
                 dtx_mesh_rank(&h->layout->mesh, copy->position), "%s",
                 message);
}

/* Adds what could not be read to the findings: why, where it was told, and of
 * the others that. */
static enum dtx_status
blame_unread(struct batch *b, const struct failure *told, size_t told_count,
             struct dtx_error *err)
{
    bool *is_told = dtx_alloc(b->count, sizeof *is_told);
    size_t i;

    if (is_told == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < told_count; i++) {
        if (!is_told[told[i].copy]) {
            blame(b, &b->copies[told[i].copy], told[i].message);
        }
        is_told[told[i].copy] = true;
    }
    for (i = 0; i < b->count; i++) {
        if (b->copies[i].is_unread && !is_told[i]) {
            blame(b, &b->copies[i], "it can't be read");
        }
    }
    dtx_free(is_told);
    return DTX_OK;
}

/* Tells all processes what could not be read, and adds it to the findings. */
static enum dtx_status
gather_failures(struct batch *b, struct dtx_error *err)
{
    struct dtx_transport *t = b->job->transport;
    char *bytes = NULL;
    size_t total;
    enum dtx_status status = engine_gather(
        t, DTX_OK, b->failures, (size_t)b->failure_count * sizeof *b->failures,
        &bytes, &total, err);

    if (status == DTX_OK) {
        status = blame_unread(b, (const struct failure *)(const void *)bytes,
                              total / sizeof *b->failures, err);
    }
    dtx_free(bytes);
    return dtx_transport_settle(t, status, err);
}

/* Reads, puts together and judges the copies that were listed. */
static enum dtx_status
run_batch(struct batch *b, struct dtx_error *err)
{
    enum dtx_status status;
    size_t i, first = 0;

    b->failure_count = 0;
    for (i = 0; i < b->count && !b->turns.is_over; i++) {
        read_copy(b, &b->copies[i], err);
    }
    status = turns_settle(&b->turns, err);
    if (status == DTX_OK) {
        status = share_unread(b, err);
    }
    if (status == DTX_OK) {
        status = gather_failures(b, err);
    }
    if (status == DTX_OK) {
        status = gather_sums(b, err);
    }
    for (i = 1; i <= b->count && status == DTX_OK; i++) {
        if (i == b->count || b->copies[i].tensor != b->copies[first].tensor) {
            copies_judge(b->job, b->copies + first, (int)(i - first));
            first = i;
        }
    }
    b->job->copy_count += (int64_t)b->count;
    b->count = 0;
    return status;
}

enum dtx_status
engine_check_copies(struct copies_job *job, struct dtx_error *err)
{
    struct batch b = {.job = job};
    int count = job->reader->holding->tensor_count, i;
    enum dtx_status status;

    turns_begin(&b.turns, job->transport, job->readers, job->progress);
    b.failures = dtx_alloc(FAILURES_MOST, sizeof *b.failures);
    status = b.failures == NULL ? dtx_error_memory(err) : DTX_OK;
    status = dtx_transport_settle(job->transport, status, err);
    for (i = 0; i < count && status == DTX_OK; i++) {
        if (job->wanted == NULL || job->wanted[i]) {
            status = list_copies(&b, i, err);
        }
        if (b.count >= BATCH_COPIES || i + 1 == count) {
            status = dtx_transport_settle(job->transport, status, err);
            status = status == DTX_OK ? run_batch(&b, err) : status;
        } else if (status != DTX_OK) {
            status = dtx_transport_settle(job->transport, status, err);
        }
    }
    if (status == DTX_OK && job->findings->failed) {
        status = dtx_error_memory(err);
    }
    dtx_free(b.copies);
    dtx_free(b.failures);
    return dtx_transport_settle(job->transport, status, err);
}
