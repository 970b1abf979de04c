#include "engine/step/write.h"

#include "engine/step/apart.h"
#include "engine/step/apart_write.h"
#include "engine/step/loss.h"
#include "engine/step/regions.h"
#include "engine/step/shards.h"
#include "engine/step/straight.h"
#include "engine/step/terms.h"
#include "layout/convert.h"
#include "util/error.h"
#include "util/math.h"

static enum dtx_status
reduce_stage(const struct writing *w, const struct dtx_chunks *chunk,
             struct dtx_error *err)
{
    struct engine *e = w->slot->engine;
    int64_t bad = -1;
    enum dtx_status status = engine_reduce(e, w->region->tensor, e->write_stage,
                                           dtx_chunks_count(chunk), &bad, err);

    if (bad >= 0) {
        writing_describe(w, chunk, bad, err);
    }
    return status;
}

static enum dtx_status
convert_stage(const struct writing *w, const struct dtx_chunks *chunk,
              struct dtx_error *err)
{
    char *stage = w->slot->engine->write_stage;
    enum dtx_dtype from = w->element.wire.dtype, to = w->element.dst.dtype;
    size_t count = (size_t)dtx_chunks_count(chunk);
    int64_t bad;

    if (loss_is_possible(from, to)) {
        loss_convert(from, to, stage, count, w->region->tensor,
                     &w->slot->engine->write_loss);
        return DTX_OK;
    }
    bad = dtx_convert(from, to, stage, stage, count);
    if (bad < 0) {
        return DTX_OK;
    }
    (void)element_refuse(stage + (size_t)bad * w->element.wire.size_bytes, from,
                         to, err);
    writing_describe(w, chunk, bad, err);
    return DTX_ERR_SOURCE;
}

static enum dtx_status
write_chunk(const struct writing *w, const struct dtx_chunks *chunk,
            struct dtx_error *err)
{
    struct engine *e = w->slot->engine;
    enum dtx_status status = writing_gather(w, chunk, e->write_stage, err);

    if (status == DTX_OK && w->region->term_count > 1) {
        status = reduce_stage(w, chunk, err);
    } else if (status == DTX_OK) {
        digest_region_add(&w->digest, DIGEST_WRITTEN,
                          w->element.wire.size_bytes, chunk->lo, chunk->len,
                          e->write_stage);
    }
    if (status == DTX_OK && w->element.converts_on_write) {
        status = convert_stage(w, chunk, err);
    }
    if (status == DTX_OK &&
        (w->element.converts_on_write || w->element.term_count > 1)) {
        digest_region_add(&w->digest, DIGEST_TARGET, w->element.dst.size_bytes,
                          chunk->lo, chunk->len, e->write_stage);
    }
    return status == DTX_OK
               ? writing_box(w, chunk->lo, chunk->len, e->write_stage, err)
               : status;
}

/* Bytes to write at a time: what the caches hold, but through HDF5 a chunk
 * only once. */
static size_t
piece_bytes(const struct engine *e, size_t most)
{
    const struct dtx_layout *target = e->plan->target;
    bool is_raw = target->chunk_count == 0 && !target->gzip;

    return is_raw && most > ENGINE_PIECE_BYTES ? ENGINE_PIECE_BYTES : most;
}

static enum dtx_status
write_staged(const struct writing *w, struct dtx_error *err)
{
    struct engine *e = w->slot->engine;
    size_t stage = piece_bytes(e, (size_t)e->plan->schedule->stage_bytes);
    const struct dtx_tensor *t = &e->plan->tensors[w->region->tensor];
    size_t bytes = dtx_class_stage_bytes(e->plan->classes[t->class_index]);
    enum dtx_status status = DTX_OK;
    struct dtx_chunks chunk;

    dtx_chunks_begin(&chunk, w->ndim, w->region->len,
                     dtx_max((int64_t)(stage / bytes), 1));
    while (status == DTX_OK && engine_next_piece(e, &chunk)) {
        status = write_chunk(w, &chunk, err);
    }
    return status;
}

/* Writes a region right from the one message that brought it. */
static enum dtx_status
write_direct(const struct writing *w, struct dtx_error *err)
{
    size_t size = w->element.wire.size_bytes;
    int64_t limit = (int64_t)(piece_bytes(w->slot->engine, INT64_MAX) / size);
    const char *place = writing_place(w->slot, w->slices);
    /* A value that was reduced before is no longer what was read. */
    enum digest_kind kind =
        w->element.term_count > 1 ? DIGEST_TARGET : DIGEST_WRITTEN;
    enum dtx_status status = DTX_OK;
    struct dtx_chunks chunk;

    dtx_chunks_begin(&chunk, w->ndim, w->region->len, dtx_max(limit, 1));
    while (status == DTX_OK && engine_next_piece(w->slot->engine, &chunk)) {
        digest_region_add(&w->digest, kind, size, chunk.lo, chunk.len, place);
        status = writing_box(w, chunk.lo, chunk.len, place, err);
        place += (size_t)dtx_chunks_count(&chunk) * size;
    }
    return status;
}

/* Copies a slice from its message right into an array. */
static enum dtx_status
write_slice(const struct writing *w, const struct engine_shard *shard,
            const struct dtx_slice *slice, struct dtx_error *err)
{
    static const int64_t origin[DTX_NDIM_MAX];
    struct engine *e = w->slot->engine;
    bool is_part = slice->box_len != NULL;
    int64_t to[DTX_NDIM_MAX];
    struct dtx_box_copy copy = {.ndim = w->ndim,
                                .element_bytes = w->element.wire.size_bytes,
                                .len = slice->len,
                                .dst_lo = to,
                                .dst_strides = shard->strides,
                                .src_shape =
                                    is_part ? slice->box_len : slice->len,
                                .src_lo = is_part ? slice->box_lo : origin};
    int dim;

    for (dim = 0; dim < w->ndim; dim++) {
        to[dim] = w->region->lo[dim] + slice->lo[dim];
    }
    return e->device->ops->copy_box(e->device, DTX_LANE_WRITE, &copy,
                                    shard->data, writing_place(w->slot, slice),
                                    err);
}

/* Copies what the messages bring right into arrays. */
static enum dtx_status
write_arrays(const struct writing *w, struct dtx_error *err)
{
    const struct engine *e = w->slot->engine;
    enum dtx_status status = DTX_OK;
    int i, p;

    for (i = 0; i < w->region->slice_count; i++) {
        bool is_linked = w->slot->is_linked[1][w->region->slice_first + i];

        for (p = 0;
             p < w->region->position_count && !is_linked && status == DTX_OK;
             p++) {
            status = write_slice(w,
                                 engine_shard_of(e->shards, DTX_TARGET,
                                                 w->region->tensor,
                                                 w->region->positions[p]),
                                 &w->slices[i], err);
        }
    }
    return status;
}

/* Reduces what the messages bring of a shard's terms, and keeps the values. */
static enum dtx_status
keep_reduced(const struct writing *w, struct dtx_error *err)
{
    struct engine *e = w->slot->engine;
    const struct dtx_tensor *t = &e->plan->tensors[w->region->tensor];
    size_t bytes = dtx_class_stage_bytes(e->plan->classes[t->class_index]);
    enum dtx_status status = DTX_OK;
    struct dtx_chunks chunk;

    dtx_chunks_begin(&chunk, w->ndim, w->region->len,
                     (int64_t)(e->plan->schedule->stage_bytes / bytes));
    while (status == DTX_OK && engine_next_piece(e, &chunk)) {
        status = writing_gather(w, &chunk, e->write_stage, err);
        if (status == DTX_OK) {
            status = reduce_stage(w, &chunk, err);
        }
        if (status == DTX_OK) {
            status = writing_keep(w, chunk.lo, chunk.len, e->write_stage, err);
        }
    }
    return status;
}

/* Copies what the messages bring of a shard to where it is kept. */
static enum dtx_status
write_kept(const struct writing *w, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    if (w->region->term_count > 1) {
        return engine_is_apart(w->slot->engine) ? writing_keep_apart(w, err)
                                                : keep_reduced(w, err);
    }
    for (i = 0; i < w->region->slice_count && status == DTX_OK; i++) {
        const struct dtx_slice *slice = &w->slices[i];

        status = writing_keep(w, slice->lo, slice->len,
                              writing_place(w->slot, slice), err);
    }
    return status;
}

static enum dtx_status
write_region(struct slot *slot, const struct dtx_region *region,
             struct dtx_error *err)
{
    struct engine *e = slot->engine;
    struct writing w = {.slot = slot,
                        .region = region,
                        .slices = slot->step.write_slices + region->slice_first,
                        .element = element_of(e->plan, region->tensor),
                        .ndim = e->plan->tensors[region->tensor].ndim};
    bool is_direct = region->slice_count == 1 && w.slices->box_len == NULL &&
                     !w.element.converts_on_write && region->term_count == 1;
    enum dtx_status status;

    if (region->kept_shape != NULL) {
        return write_kept(&w, err);
    }
    if (engine_move_straight(slot, region, false, &status, err)) {
        return status;
    }
    if (e->shards != NULL && region->term_count == 1 &&
        !w.element.converts_on_write && writing_has_arrays(&w)) {
        return write_arrays(&w, err);
    }
    digest_region_begin(&w.digest, e, region, w.slices,
                        w.element.term_count > 1 ? DIGEST_TARGET
                                                 : DIGEST_WRITTEN);
    if (engine_is_apart(e)) {
        return writing_apart(&w, is_direct, err);
    }
    return is_direct ? write_direct(&w, err) : write_staged(&w, err);
}

void
engine_write_step(struct slot *slot)
{
    engine_begin_writing(slot);
    engine_each_region(slot, false, write_region);
    engine_end_writing(slot);
}
