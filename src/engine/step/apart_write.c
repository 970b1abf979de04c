#include "engine/step/apart_write.h"

#include "engine/step/apart.h"
#include "engine/step/loss.h"
#include "engine/step/regions.h"
#include "engine/step/shards.h"
#include "engine/step/terms.h"
#include "util/alloc.h"
#include "util/error.h"

/* A chunk in a half of the writer's stages. */
struct piece {
    const struct writing *w;
    struct dtx_chunks chunk;
    struct engine_half half;
    size_t count;  /* elements */
    bool is_there; /* it has begun, and not ended */
};

/* How a region is written. */
struct way {
    bool is_direct;     /* it is the one message that brought it */
    bool has_arrays;    /* it goes to arrays of the device */
    const char *place;  /* of what is direct and not yet written */
    size_t stage_bytes; /* of an element, with all its terms */
};

static enum dtx_status
reduce(const struct piece *p, struct dtx_error *err)
{
    const struct writing *w = p->w;
    struct engine *e = w->slot->engine;
    const struct dtx_tensor *t = &e->plan->tensors[w->region->tensor];
    int sizes[DTX_AXIS_MAX];
    enum dtx_op ops[DTX_AXIS_MAX];
    struct dtx_reduction how = engine_reduction_of(
        e->plan->classes[t->class_index]->src, t->src_type.dtype, sizes, ops);
    struct dtx_device_reduction reduction = {&how, p->half.stage, p->half.stage,
                                             p->count};

    return e->device->apart->reduce(e->device, DTX_LANE_WRITE, &reduction,
                                    p->half.reduced, err);
}

/* Sums values as they have travelled, before they are converted. */
static enum dtx_status
sum_travelled(const struct piece *p, struct dtx_error *err)
{
    const struct writing *w = p->w;
    struct engine *e = w->slot->engine;
    size_t size = w->element.wire.size_bytes;
    enum dtx_status status;

    if (e->shards != NULL) { /* nothing is summed */
        return DTX_OK;
    }
    status = engine_fetch(e, DTX_LANE_WRITE, p->half.near, p->half.stage,
                          p->count * size, err);
    if (status == DTX_OK) {
        digest_region_add(&w->digest, DIGEST_WRITTEN, size, p->chunk.lo,
                          p->chunk.len, p->half.near);
    }
    return status;
}

static enum dtx_status
convert(const struct piece *p, struct dtx_error *err)
{
    const struct writing *w = p->w;
    struct dtx_device *device = w->slot->engine->device;
    enum dtx_dtype from = w->element.wire.dtype, to = w->element.dst.dtype;
    struct dtx_device_conversion conversion = {.from = from,
                                               .to = to,
                                               .in = p->half.stage,
                                               .out = p->half.converted,
                                               .count = p->count,
                                               .measures_loss =
                                                   loss_is_possible(from, to)};

    return device->apart->convert(device, DTX_LANE_WRITE, &conversion,
                                  p->half.outcome, err);
}

/* Copies the chunk to all arrays of its region. */
static enum dtx_status
put_in_arrays(const struct piece *p, const char *place, struct dtx_error *err)
{
    static const int64_t origin[DTX_NDIM_MAX];
    const struct writing *w = p->w;
    struct engine *e = w->slot->engine;
    int64_t to[DTX_NDIM_MAX];
    struct dtx_box_copy copy = {.ndim = w->ndim,
                                .element_bytes = w->element.dst.size_bytes,
                                .len = p->chunk.len,
                                .dst_lo = to,
                                .src_shape = p->chunk.len,
                                .src_lo = origin};
    enum dtx_status status = DTX_OK;
    int i, dim;

    for (dim = 0; dim < w->ndim; dim++) {
        to[dim] = w->region->lo[dim] + p->chunk.lo[dim];
    }
    for (i = 0; i < w->region->position_count && status == DTX_OK; i++) {
        const struct engine_shard *shard = engine_shard_of(
            e->shards, DTX_TARGET, w->region->tensor, w->region->positions[i]);

        copy.dst_strides = shard->strides;
        status = e->device->ops->copy_box(e->device, DTX_LANE_WRITE, &copy,
                                          shard->data, place, err);
    }
    return status;
}

/* Has the device make a chunk ready, and copy it to where it goes. */
static enum dtx_status
begin_piece(struct piece *p, struct way *way, struct dtx_error *err)
{
    const struct writing *w = p->w;
    struct dtx_device *device = w->slot->engine->device;
    size_t bytes = p->count * w->element.dst.size_bytes;
    const char *place = way->is_direct ? way->place : p->half.stage;
    enum dtx_status status = DTX_OK;

    p->half.reduced->bad = p->half.outcome->bad = -1;
    if (way->is_direct) {
        way->place += bytes;
    } else {
        status = writing_gather(w, &p->chunk, p->half.stage, err);
    }
    if (status == DTX_OK && w->region->term_count > 1) {
        status = reduce(p, err);
    }
    if (status == DTX_OK && w->element.converts_on_write) {
        if (w->region->term_count == 1) {
            status = sum_travelled(p, err);
        }
        if (status == DTX_OK) {
            status = convert(p, err);
        }
        place = p->half.converted;
    }
    if (status == DTX_OK) {
        status = way->has_arrays
                     ? put_in_arrays(p, place, err)
                     : device->apart->download(device, DTX_LANE_WRITE,
                                               p->half.near, place, bytes, err);
    }
    return status == DTX_OK
               ? device->apart->mark(device, DTX_LANE_WRITE, p->half.mark, err)
               : status;
}

/* Names the terms of an element whose reduction overflows. */
static enum dtx_status
refuse_terms(const struct piece *p, struct dtx_error *err)
{
    const struct writing *w = p->w;
    struct engine *e = w->slot->engine;
    const struct dtx_tensor *t = &e->plan->tensors[w->region->tensor];
    size_t size = t->src_type.size_bytes, at = (size_t)p->half.reduced->bad;
    const void **terms;
    enum dtx_status status = DTX_OK;
    int i, count = w->element.term_count;

    dtx_arena_reset(&e->write_scratch);
    terms = dtx_arena_alloc(&e->write_scratch, (size_t)count, sizeof *terms);
    if (terms == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < count && status == DTX_OK; i++) {
        terms[i] = p->half.near + (size_t)i * size;
        status = engine_fetch(
            e, DTX_LANE_WRITE, p->half.near + (size_t)i * size,
            p->half.stage + ((size_t)i * p->count + at) * size, size, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    (void)engine_refuse_terms(t->src_type, terms, count, 0, err);
    writing_describe(w, &p->chunk, (int64_t)at, err);
    return DTX_ERR_SOURCE;
}

/* Names an element that doesn't fit. */
static enum dtx_status
refuse_element(const struct piece *p, struct dtx_error *err)
{
    const struct writing *w = p->w;
    size_t size = w->element.wire.size_bytes;
    int64_t bad = p->half.outcome->bad;
    enum dtx_status status =
        engine_fetch(w->slot->engine, DTX_LANE_WRITE, p->half.near,
                     p->half.stage + (size_t)bad * size, size, err);

    if (status != DTX_OK) {
        return status;
    }
    (void)element_refuse(p->half.near, w->element.wire.dtype,
                         w->element.dst.dtype, err);
    writing_describe(w, &p->chunk, bad, err);
    return DTX_ERR_SOURCE;
}

/* Waits for a chunk, and sees what has become of its elements. */
static enum dtx_status
check_piece(const struct piece *p, struct dtx_error *err)
{
    const struct writing *w = p->w;
    struct engine *e = w->slot->engine;
    enum dtx_status status =
        e->device->apart->await(e->device, DTX_LANE_WRITE, p->half.mark, err);

    if (status != DTX_OK) {
        return status;
    }
    if (p->half.reduced->bad >= 0) {
        return refuse_terms(p, err);
    }
    if (p->half.outcome->bad >= 0) {
        return refuse_element(p, err);
    }
    if (w->element.converts_on_write) {
        loss_add(p->half.outcome, w->region->tensor, &e->write_loss);
    }
    return DTX_OK;
}

/* Writes a chunk from near memory. */
static enum dtx_status
end_piece(struct piece *p, const struct way *way, struct dtx_error *err)
{
    const struct writing *w = p->w;
    bool is_reduced = w->element.term_count > 1;
    bool converts = w->element.converts_on_write;
    enum dtx_status status = check_piece(p, err);

    p->is_there = false;
    if (status != DTX_OK || way->has_arrays) {
        return status;
    }
    if (!converts && w->region->term_count == 1 &&
        !(way->is_direct && is_reduced)) {
        digest_region_add(&w->digest, DIGEST_WRITTEN,
                          w->element.wire.size_bytes, p->chunk.lo, p->chunk.len,
                          p->half.near);
    }
    if (converts || is_reduced) {
        digest_region_add(&w->digest, DIGEST_TARGET, w->element.dst.size_bytes,
                          p->chunk.lo, p->chunk.len, p->half.near);
    }
    return writing_box(w, p->chunk.lo, p->chunk.len, p->half.near, err);
}

/* Has the device begin a chunk, and writes the one before it meanwhile. */
static enum dtx_status
write_next(struct piece *pieces, int current, struct way *way,
           struct dtx_error *err)
{
    struct piece *next = &pieces[current], *last = &pieces[1 - current];
    struct engine *e = next->w->slot->engine;
    bool is_alone = engine_half_bytes(e, way->stage_bytes) ==
                    (size_t)e->plan->schedule->stage_bytes;
    enum dtx_status status = DTX_OK;

    if (last->is_there && is_alone) {
        status = end_piece(last, way, err);
    }
    if (status == DTX_OK) {
        status = engine_next_half(e, DTX_LANE_WRITE, e->write_stage,
                                  way->stage_bytes, &next->half, err);
    }
    if (status == DTX_OK) {
        next->count = (size_t)dtx_chunks_count(&next->chunk);
        status = begin_piece(next, way, err);
        next->is_there = status == DTX_OK;
    }
    return status == DTX_OK && last->is_there ? end_piece(last, way, err)
                                              : status;
}

static size_t
stage_bytes_of(const struct writing *w)
{
    const struct dtx_plan *plan = w->slot->engine->plan;
    const struct dtx_tensor *t = &plan->tensors[w->region->tensor];

    return (size_t)dtx_class_stage_bytes(plan->classes[t->class_index]);
}

enum dtx_status
writing_apart(const struct writing *w, bool is_direct, struct dtx_error *err)
{
    struct engine *e = w->slot->engine;
    struct way way = {.is_direct = is_direct,
                      .has_arrays = e->shards != NULL && writing_has_arrays(w),
                      .place =
                          is_direct ? writing_place(w->slot, w->slices) : NULL,
                      .stage_bytes = stage_bytes_of(w)};
    struct piece pieces[2] = {{.w = w}, {.w = w}};
    enum dtx_status status = DTX_OK;
    struct dtx_chunks chunk;
    int current = 0;

    dtx_chunks_begin(
        &chunk, w->ndim, w->region->len,
        (int64_t)(engine_half_bytes(e, way.stage_bytes) / way.stage_bytes));
    while (status == DTX_OK && engine_next_piece(e, &chunk)) {
        pieces[current].chunk = chunk;
        status = write_next(pieces, current, &way, err);
        current = 1 - current;
    }
    return status == DTX_OK && !engine_has_failed(e) &&
                   pieces[1 - current].is_there
               ? end_piece(&pieces[1 - current], &way, err)
               : status;
}

enum dtx_status
writing_keep_apart(const struct writing *w, struct dtx_error *err)
{
    struct engine *e = w->slot->engine;
    size_t bytes = stage_bytes_of(w);
    struct piece p = {.w = w};
    enum dtx_status status = DTX_OK;

    dtx_chunks_begin(&p.chunk, w->ndim, w->region->len,
                     (int64_t)(engine_half_bytes(e, bytes) / bytes));
    while (status == DTX_OK && engine_next_piece(e, &p.chunk)) {
        status = engine_next_half(e, DTX_LANE_WRITE, e->write_stage, bytes,
                                  &p.half, err);
        p.count = (size_t)dtx_chunks_count(&p.chunk);
        if (status == DTX_OK) {
            status = writing_gather(w, &p.chunk, p.half.stage, err);
        }
        if (status == DTX_OK) {
            status = reduce(&p, err);
        }
        if (status == DTX_OK) {
            status = engine_fetch(e, DTX_LANE_WRITE, NULL, NULL, 0, err);
        }
        if (status == DTX_OK && p.half.reduced->bad >= 0) {
            status = refuse_terms(&p, err);
        }
        if (status == DTX_OK) {
            status =
                writing_keep(w, p.chunk.lo, p.chunk.len, p.half.stage, err);
        }
    }
    return status;
}
