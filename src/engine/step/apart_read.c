#include "engine/step/apart_read.h"

#include "engine/step/apart.h"
#include "engine/step/loss.h"
#include "engine/step/regions.h"
#include "engine/step/shards.h"
#include "util/math.h"

/* A chunk in a half of the reader's stages. */
struct piece {
    const struct reading *r;
    const struct engine_shard *array; /* NULL: it isn't one of the device */
    const struct dtx_chunks *chunk;
    struct engine_half half;
    size_t count; /* elements */
};

/* Copies the chunk within the device. */
static enum dtx_status
take_from_array(const struct piece *p, struct dtx_error *err)
{
    static const int64_t origin[DTX_NDIM_MAX];
    const struct reading *r = p->r;
    struct dtx_device *device = r->slot->engine->device;
    int64_t at[DTX_NDIM_MAX];
    struct dtx_box_copy copy = {.ndim = r->ndim,
                                .element_bytes = r->element.src.size_bytes,
                                .len = p->chunk->len,
                                .dst_shape = p->chunk->len,
                                .dst_lo = origin,
                                .src_lo = at,
                                .src_strides = p->array->strides};
    int dim;

    for (dim = 0; dim < r->ndim; dim++) {
        at[dim] = r->region->lo[dim] + p->chunk->lo[dim];
    }
    return device->ops->copy_box(device, DTX_LANE_READ, &copy, p->half.stage,
                                 p->array->data, err);
}

/* Reads the chunk and brings it to the device. */
static enum dtx_status
take_from_host(const struct piece *p, struct dtx_error *err)
{
    const struct reading *r = p->r;
    struct engine *e = r->slot->engine;
    size_t size = r->element.src.size_bytes;
    enum dtx_status status =
        reading_box(r, p->chunk->lo, p->chunk->len, p->half.near, err);

    if (status != DTX_OK) {
        return status;
    }
    if (!r->element.converts_on_read) {
        digest_region_add(&r->digest, DIGEST_READ, size, p->chunk->lo,
                          p->chunk->len, p->half.near);
    } else if (digest_wants_source(e->plan, r->region->tensor)) {
        digest_region_add(&r->digest, DIGEST_SOURCE, size, p->chunk->lo,
                          p->chunk->len, p->half.near);
    }
    return e->device->apart->upload(e->device, DTX_LANE_READ, p->half.stage,
                                    p->half.near, p->count * size, err);
}

static enum dtx_status
refuse(const struct piece *p, int64_t bad, struct dtx_error *err)
{
    size_t size = p->r->element.src.size_bytes;
    enum dtx_status status =
        engine_fetch(p->r->slot->engine, DTX_LANE_READ, p->half.near,
                     p->half.stage + (size_t)bad * size, size, err);

    return status == DTX_OK
               ? reading_refuse(p->r, p->chunk, bad, p->half.near, err)
               : status;
}

/* Converts the chunk, and sums what has become of it. */
static enum dtx_status
convert(const struct piece *p, struct dtx_error *err)
{
    const struct reading *r = p->r;
    struct engine *e = r->slot->engine;
    enum dtx_dtype from = r->element.src.dtype, to = r->element.wire.dtype;
    size_t size = r->element.wire.size_bytes;
    struct dtx_device_conversion conversion = {.from = from,
                                               .to = to,
                                               .in = p->half.stage,
                                               .out = p->half.converted,
                                               .count = p->count,
                                               .measures_loss =
                                                   loss_is_possible(from, to)};
    enum dtx_status status = e->device->apart->convert(
        e->device, DTX_LANE_READ, &conversion, p->half.outcome, err);

    if (status == DTX_OK) {
        status = engine_fetch(e, DTX_LANE_READ, p->half.near, p->half.converted,
                              e->shards == NULL ? p->count * size : 0, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    if (p->half.outcome->bad >= 0) {
        return refuse(p, p->half.outcome->bad, err);
    }
    loss_add(p->half.outcome, r->region->tensor, &e->read_loss);
    digest_region_add(&r->digest, DIGEST_READ, size, p->chunk->lo,
                      p->chunk->len, p->half.near);
    return DTX_OK;
}

static enum dtx_status
read_piece(const struct piece *p, struct dtx_error *err)
{
    const struct reading *r = p->r;
    struct engine *e = r->slot->engine;
    const char *stage = p->half.stage;
    enum dtx_status status =
        p->array != NULL ? take_from_array(p, err) : take_from_host(p, err);
    int i;

    if (status == DTX_OK && r->element.converts_on_read) {
        status = convert(p, err);
        stage = p->half.converted;
    }
    for (i = 0; i < r->region->slice_count && status == DTX_OK; i++) {
        status = reading_scatter(r, p->chunk, &r->slices[i], stage, err);
    }
    return status == DTX_OK ? e->device->apart->mark(e->device, DTX_LANE_READ,
                                                     p->half.mark, err)
                            : status;
}

/* The array of the device that a region is of, or NULL. */
static const struct engine_shard *
array_of(const struct reading *r)
{
    struct engine *e = r->slot->engine;
    const struct engine_shard *shard;

    if (e->shards == NULL) {
        return NULL;
    }
    shard = engine_shard_of(e->shards, DTX_SOURCE, r->region->tensor,
                            r->region->positions[0]);
    return engine_shard_is_direct(e, shard) ? shard : NULL;
}

enum dtx_status
reading_apart(const struct reading *r, struct dtx_error *err)
{
    struct engine *e = r->slot->engine;
    size_t size = (size_t)dtx_max((int64_t)r->element.src.size_bytes,
                                  (int64_t)r->element.wire.size_bytes);
    enum dtx_status status = DTX_OK;
    struct dtx_chunks chunk;
    struct piece p = {.r = r, .array = array_of(r), .chunk = &chunk};

    dtx_chunks_begin(&chunk, r->ndim, r->region->len,
                     (int64_t)(engine_half_bytes(e, size) / size));
    while (status == DTX_OK && engine_next_piece(e, &chunk)) {
        status = engine_next_half(e, DTX_LANE_READ, e->read_stage, size,
                                  &p.half, err);
        p.count = (size_t)dtx_chunks_count(&chunk);
        if (status == DTX_OK) {
            status = read_piece(&p, err);
        }
    }
    return status;
}
