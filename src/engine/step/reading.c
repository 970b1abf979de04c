#include "engine/step/reading.h"

#include "engine/step/shards.h"

char *
reading_place(const struct slot *slot, const struct dtx_slice *slice)
{
    return slot->sends[slice->message].place + slice->offset;
}

enum dtx_status
reading_box(const struct reading *r, const int64_t *lo, const int64_t *len,
            void *buffer, struct dtx_error *err)
{
    struct engine *e = r->slot->engine;
    int64_t at[DTX_NDIM_MAX];
    int dim;

    for (dim = 0; dim < r->ndim; dim++) {
        at[dim] = r->region->lo[dim] + lo[dim];
    }
    if (e->shards != NULL) {
        return engine_shard_read(e, r->region->tensor, r->region->positions[0],
                                 at, len, buffer, err);
    }
    return e->storage->ops->read(e->storage, r->dataset, at, len, buffer, err);
}

enum dtx_status
reading_scatter(const struct reading *r, const struct dtx_chunks *chunk,
                const struct dtx_slice *slice, const char *stage,
                struct dtx_error *err)
{
    struct engine *e = r->slot->engine;
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX], to[DTX_NDIM_MAX];
    struct dtx_box_copy copy = {.ndim = r->ndim,
                                .element_bytes = r->element.wire.size_bytes,
                                .len = len,
                                .dst_shape = slice->len,
                                .dst_lo = to,
                                .src_shape = chunk->len,
                                .src_lo = lo};
    int dim;

    if (!dtx_chunks_meet(chunk, slice->lo, slice->len, lo, len)) {
        return DTX_OK;
    }
    for (dim = 0; dim < r->ndim; dim++) {
        to[dim] = lo[dim] - slice->lo[dim];
        lo[dim] -= chunk->lo[dim];
    }
    return e->device->ops->copy_box(e->device, DTX_LANE_READ, &copy,
                                    reading_place(r->slot, slice), stage, err);
}

enum dtx_status
reading_refuse(const struct reading *r, const struct dtx_chunks *chunk,
               int64_t bad, const void *element, struct dtx_error *err)
{
    struct engine *e = r->slot->engine;
    struct element_box box = {r->ndim, chunk->lo, chunk->len,
                              r->region->slice_count, r->slices};

    (void)element_refuse(element, r->element.src.dtype, r->element.wire.dtype,
                         err);
    element_describe(err, e->plan->tensors[r->region->tensor].src_name, &box,
                     bad);
    return DTX_ERR_SOURCE;
}
