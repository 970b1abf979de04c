#include "engine/step/read.h"

#include "engine/step/apart.h"
#include "engine/step/apart_read.h"
#include "engine/step/loss.h"
#include "engine/step/positions.h"
#include "engine/step/reading.h"
#include "engine/step/regions.h"
#include "engine/step/shards.h"
#include "engine/step/straight.h"
#include "layout/convert.h"
#include "util/error.h"
#include "util/math.h"

static enum dtx_status
convert_stage(const struct reading *r, const struct dtx_chunks *chunk,
              struct dtx_error *err)
{
    struct engine *e = r->slot->engine;
    enum dtx_dtype from = r->element.src.dtype, to = r->element.wire.dtype;
    int64_t bad;

    if (loss_is_possible(from, to)) {
        loss_convert(from, to, e->read_stage, (size_t)dtx_chunks_count(chunk),
                     r->region->tensor, &e->read_loss);
        return DTX_OK;
    }
    bad = dtx_convert(from, to, e->read_stage, e->read_stage,
                      (size_t)dtx_chunks_count(chunk));
    return bad < 0 ? DTX_OK
                   : reading_refuse(r, chunk, bad,
                                    e->read_stage +
                                        (size_t)bad * r->element.src.size_bytes,
                                    err);
}

static enum dtx_status
read_chunk(const struct reading *r, const struct dtx_chunks *chunk,
           struct dtx_error *err)
{
    struct engine *e = r->slot->engine;
    enum dtx_status status =
        reading_box(r, chunk->lo, chunk->len, e->read_stage, err);
    int i;

    if (status == DTX_OK && r->element.converts_on_read) {
        if (digest_wants_source(e->plan, r->region->tensor)) {
            digest_region_add(&r->digest, DIGEST_SOURCE,
                              r->element.src.size_bytes, chunk->lo, chunk->len,
                              e->read_stage);
        }
        status = convert_stage(r, chunk, err);
    }
    if (status == DTX_OK) {
        digest_region_add(&r->digest, DIGEST_READ, r->element.wire.size_bytes,
                          chunk->lo, chunk->len, e->read_stage);
    }
    for (i = 0; i < r->region->slice_count && status == DTX_OK; i++) {
        status = reading_scatter(r, chunk, &r->slices[i], e->read_stage, err);
    }
    return status;
}

/* Bytes to read at a time: what the caches hold, but compressed chunks only
 * once. */
static size_t
piece_bytes(const struct reading *r, size_t most)
{
    const struct engine *e = r->slot->engine;
    bool is_raw =
        e->shards == NULL &&
        e->plan->catalog->datasets[r->dataset].form == DTX_FORM_CONTIGUOUS;

    return is_raw && most > ENGINE_PIECE_BYTES ? ENGINE_PIECE_BYTES : most;
}

static enum dtx_status
read_staged(const struct reading *r, struct dtx_error *err)
{
    struct engine *e = r->slot->engine;
    size_t stage = piece_bytes(r, (size_t)e->plan->schedule->stage_bytes);
    enum dtx_status status = DTX_OK;
    struct dtx_chunks chunk;

    dtx_chunks_begin(&chunk, r->ndim, r->region->len,
                     dtx_max((int64_t)(stage / r->element.src.size_bytes), 1));
    while (status == DTX_OK && engine_next_piece(e, &chunk)) {
        status = read_chunk(r, &chunk, err);
    }
    return status;
}

/* Reads a region right into its place in the one message that wants it. */
static enum dtx_status
read_direct(const struct reading *r, struct dtx_error *err)
{
    size_t size = r->element.src.size_bytes;
    int64_t limit = (int64_t)(piece_bytes(r, INT64_MAX) / size);
    char *place = reading_place(r->slot, r->slices);
    enum dtx_status status = DTX_OK;
    struct dtx_chunks chunk;

    dtx_chunks_begin(&chunk, r->ndim, r->region->len, dtx_max(limit, 1));
    while (status == DTX_OK && engine_next_piece(r->slot->engine, &chunk)) {
        status = reading_box(r, chunk.lo, chunk.len, place, err);
        if (status == DTX_OK) {
            digest_region_add(&r->digest, DIGEST_READ, size, chunk.lo,
                              chunk.len, place);
            place += (size_t)dtx_chunks_count(&chunk) * size;
        }
    }
    return status;
}

/* Copies a region's slices into the messages that want them, from an array of
 * the shape or the strides that `copy` has. */
static enum dtx_status
copy_slices(const struct reading *r, struct dtx_box_copy copy,
            const char *array, struct dtx_error *err)
{
    const struct dtx_region *region = r->region;
    const bool *is_linked = r->slot->is_linked[0];
    struct engine *e = r->slot->engine;
    static const int64_t origin[DTX_NDIM_MAX];
    int64_t from[DTX_NDIM_MAX];
    enum dtx_status status = DTX_OK;
    int i, dim;

    copy.ndim = r->ndim;
    copy.element_bytes = r->element.wire.size_bytes;
    copy.dst_lo = origin;
    copy.src_lo = from;
    for (i = 0; i < region->slice_count && status == DTX_OK; i++) {
        const struct dtx_slice *slice = &r->slices[i];

        if (is_linked != NULL && is_linked[region->slice_first + i]) {
            continue;
        }
        copy.len = copy.dst_shape = slice->len;
        for (dim = 0; dim < r->ndim; dim++) {
            from[dim] = region->lo[dim] + slice->lo[dim];
        }
        status =
            e->device->ops->copy_box(e->device, DTX_LANE_READ, &copy,
                                     reading_place(r->slot, slice), array, err);
    }
    return status;
}

/* Copies boxes of an array right into the messages. */
static enum dtx_status
read_array(const struct reading *r, const struct engine_shard *shard,
           struct dtx_error *err)
{
    struct dtx_box_copy copy = {.src_strides = shard->strides};

    return copy_slices(r, copy, shard->data, err);
}

/* Copies what is kept of a shard into the messages. */
static enum dtx_status
read_kept(const struct reading *r, struct dtx_error *err)
{
    struct dtx_box_copy copy = {.src_shape = r->region->kept_shape};

    return copy_slices(r, copy, r->slot->engine->store + r->region->kept_offset,
                       err);
}

static enum dtx_status
read_region(struct slot *slot, const struct dtx_region *region,
            struct dtx_error *err)
{
    struct engine *e = slot->engine;
    struct reading r = {.slot = slot,
                        .region = region,
                        .slices = slot->step.read_slices + region->slice_first,
                        .element = element_of(e->plan, region->tensor),
                        .ndim = e->plan->tensors[region->tensor].ndim};
    enum dtx_status status;

    if (region->kept_shape != NULL) {
        return read_kept(&r, err);
    }
    if (engine_move_straight(slot, region, true, &status, err)) {
        return status;
    }
    if (e->shards != NULL && !r.element.converts_on_read) {
        const struct engine_shard *shard = engine_shard_of(
            e->shards, DTX_SOURCE, region->tensor, region->positions[0]);

        if (engine_shard_is_direct(e, shard)) {
            return read_array(&r, shard, err);
        }
    }
    status = e->shards == NULL
                 ? engine_find_position(e, region->tensor, region->positions[0],
                                        &r.dataset, err)
                 : DTX_OK;
    if (status != DTX_OK) {
        return status;
    }
    digest_region_begin(&r.digest, e, region, r.slices, DIGEST_KIND_COUNT);
    if (engine_is_apart(e)) {
        return reading_apart(&r, err);
    }
    return region->slice_count == 1 && !r.element.converts_on_read
               ? read_direct(&r, err)
               : read_staged(&r, err);
}

void
engine_read_step(struct slot *slot)
{
    engine_each_region(slot, true, read_region);
    engine_end_reading(slot);
}
