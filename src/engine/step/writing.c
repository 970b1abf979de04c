#include "engine/step/writing.h"

#include "engine/step/apart.h"
#include "engine/step/positions.h"
#include "engine/step/shards.h"

/* What a process sends itself stays in the send buffer. */
const char *
writing_place(const struct slot *slot, const struct dtx_slice *slice)
{
    if (slice->message == slot->step.self_receive) {
        return slot->sends[slot->step.self_send].place + slice->offset;
    }
    return slot->receives[slice->message].place + slice->offset;
}

enum dtx_status
writing_box(const struct writing *w, const int64_t *lo, const int64_t *len,
            const void *buffer, struct dtx_error *err)
{
    struct engine *e = w->slot->engine;
    enum dtx_status status = DTX_OK;
    int64_t at[DTX_NDIM_MAX];
    int i, dim;

    for (dim = 0; dim < w->ndim; dim++) {
        at[dim] = w->region->lo[dim] + lo[dim];
    }
    for (i = 0; i < w->region->position_count && status == DTX_OK; i++) {
        int position = w->region->positions[i];

        status =
            e->shards != NULL
                ? engine_shard_write(e, w->region->tensor, position, at, len,
                                     buffer, err)
                : engine_write_position(e, w->region->tensor, position, at, len,
                                        buffer, &e->write_scratch, err);
    }
    return status;
}

/* Copies a chunk's part of one slice into the stage. */
static enum dtx_status
gather(const struct writing *w, const struct dtx_chunks *chunk,
       const struct dtx_slice *slice, char *stage, struct dtx_error *err)
{
    struct engine *e = w->slot->engine;
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX], from[DTX_NDIM_MAX];
    struct dtx_box_copy copy = {
        .ndim = w->ndim,
        .element_bytes = w->element.wire.size_bytes,
        .len = len,
        .dst_shape = chunk->len,
        .dst_lo = lo,
        .src_shape = slice->box_len != NULL ? slice->box_len : slice->len,
        .src_lo = from};
    int dim;

    if (!dtx_chunks_meet(chunk, slice->lo, slice->len, lo, len)) {
        return DTX_OK;
    }
    for (dim = 0; dim < w->ndim; dim++) {
        from[dim] = lo[dim] - slice->lo[dim] +
                    (slice->box_lo != NULL ? slice->box_lo[dim] : 0);
        lo[dim] -= chunk->lo[dim];
    }
    return e->device->ops->copy_box(e->device, DTX_LANE_WRITE, &copy, stage,
                                    writing_place(w->slot, slice), err);
}

enum dtx_status
writing_gather(const struct writing *w, const struct dtx_chunks *chunk,
               char *stage, struct dtx_error *err)
{
    size_t term_bytes =
        (size_t)dtx_chunks_count(chunk) * w->element.wire.size_bytes;
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < w->region->slice_count && status == DTX_OK; i++) {
        const struct dtx_slice *slice = &w->slices[i];

        status = gather(w, chunk, slice,
                        stage + (size_t)slice->term * term_bytes, err);
    }
    return status;
}

void
writing_describe(const struct writing *w, const struct dtx_chunks *chunk,
                 int64_t at, struct dtx_error *err)
{
    const struct dtx_plan *plan = w->slot->engine->plan;
    struct element_box box = {w->ndim, chunk->lo, chunk->len,
                              w->region->slice_count, w->slices};

    element_describe(err, plan->tensors[w->region->tensor].dst_name, &box, at);
}

enum dtx_status
writing_keep(const struct writing *w, const int64_t *lo, const int64_t *len,
             const char *buffer, struct dtx_error *err)
{
    static const int64_t origin[DTX_NDIM_MAX];
    struct engine *e = w->slot->engine;
    int64_t to[DTX_NDIM_MAX];
    struct dtx_box_copy copy = {.ndim = w->ndim,
                                .element_bytes = w->element.wire.size_bytes,
                                .len = len,
                                .dst_shape = w->region->kept_shape,
                                .dst_lo = to,
                                .src_shape = len,
                                .src_lo = origin};
    int dim;

    for (dim = 0; dim < w->ndim; dim++) {
        to[dim] = w->region->lo[dim] + lo[dim];
    }
    return e->device->ops->copy_box(e->device, DTX_LANE_WRITE, &copy,
                                    e->store + w->region->kept_offset, buffer,
                                    err);
}

bool
writing_has_arrays(const struct writing *w)
{
    const struct engine *e = w->slot->engine;
    int i;

    for (i = 0; i < w->region->position_count; i++) {
        if (!engine_shard_is_direct(
                e, engine_shard_of(e->shards, DTX_TARGET, w->region->tensor,
                                   w->region->positions[i]))) {
            return false;
        }
    }
    return true;
}
