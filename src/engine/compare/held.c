#include "engine/compare/held.h"

#include "device/box_copy.h"
#include "engine/step/element.h"
#include "engine/step/terms.h"
#include "layout/shape.h"
#include "plan/class/tile_walk.h"
#include "storage/stop.h"
#include "util/error.h"

/* The part of a box that one piece of a dim has. */
struct range {
    int piece;
    int64_t local, length;
};

/* A box while it is read. */
struct reading {
    struct held_reader *reader;
    int tensor;
    const struct dtx_held *held;
    const int64_t *lo, *len; /* global */
    int64_t count;           /* elements */
    struct range *ranges[DTX_NDIM_MAX];
    int range_counts[DTX_NDIM_MAX];
};

size_t
held_element_bytes(const struct dtx_held *held)
{
    return held->type.size_bytes * (size_t)held->side->term_count;
}

void
held_describe(const struct dtx_holding *holding, int tensor, int position,
              struct dtx_error *err)
{
    char place[160];

    dtx_error_tensor(err, "'%s'", holding->tensors[tensor].name);
    dtx_layout_describe_position(holding->layout, position, place,
                                 sizeof place);
    dtx_error_where(err, "%s", place);
}

enum dtx_status
held_find(struct held_reader *reader, int tensor, int position,
          int *dataset_out, struct dtx_error *err)
{
    const struct dtx_holding *h = reader->holding;
    int dataset =
        dtx_source_dataset(h->layout, h->catalog, h->tensors[tensor].name,
                           position, &reader->paths);

    if (dataset == DTX_DATASET_MEMORY) {
        return dtx_error_memory(err);
    }
    *dataset_out = dataset;
    return DTX_OK;
}

/* Reads a box of a position's dataset, in its own indices. */
static enum dtx_status
read_dataset(const struct reading *r, int position, const int64_t *lo,
             const int64_t *len, char *buffer, struct dtx_error *err)
{
    struct dtx_storage *storage = r->reader->storage;
    int dataset = -1;
    enum dtx_status status = dtx_stop_check(err); /* a box can be of many */

    if (status != DTX_OK) {
        return status;
    }
    status = held_find(r->reader, r->tensor, position, &dataset, err);
    if (status == DTX_OK && dataset < 0) {
        status = dtx_error_set(err, DTX_ERR_SOURCE,
                               "a dataset that should be there is missing");
    }
    if (status == DTX_OK) {
        status = storage->ops->read(storage, dataset, lo, len, buffer, err);
    }
    if (status != DTX_OK) {
        held_describe(r->reader->holding, r->tensor, position, err);
    }
    return status;
}

/* ---------------------------------------------------------------- shards */

/* Lists the pieces of each dim that have a part of the box. */
static enum dtx_status
list_ranges(struct reading *r, struct dtx_error *err)
{
    int i, piece;

    dtx_arena_reset(&r->reader->ranges);
    for (i = 0; i < r->held->ndim; i++) {
        const struct dtx_tiling_dim *dim = &r->held->side->tiling->dims[i];
        struct range *ranges = dtx_arena_alloc(
            &r->reader->ranges, (size_t)dim->piece_count, sizeof *ranges);

        if (ranges == NULL) {
            return dtx_error_memory(err);
        }
        r->ranges[i] = ranges;
        r->range_counts[i] = 0;
        for (piece = 0; piece < dim->piece_count; piece++) {
            struct range *range = &ranges[r->range_counts[i]];

            if (dtx_piece_range(dim, piece, r->lo[i], r->lo[i] + r->len[i],
                                &range->local, &range->length)) {
                range->piece = piece;
                r->range_counts[i]++;
            }
        }
    }
    return DTX_OK;
}

/* Copies what a shard has from the stage to where it stands in the box. */
static void
scatter(const struct reading *r, int shard, const int64_t *local,
        const int64_t *length, char *box)
{
    int64_t lo[DTX_NDIM_MAX], to[DTX_NDIM_MAX], len[DTX_NDIM_MAX];
    struct dtx_box_copy copy = {.ndim = r->held->ndim,
                                .element_bytes = r->held->type.size_bytes,
                                .len = len,
                                .dst_shape = r->len,
                                .dst_lo = to,
                                .src_shape = length,
                                .src_lo = lo};
    struct dtx_tile_walk walk;
    int i;

    dtx_tile_walk_begin(&walk, r->held->side, shard, local, length);
    while (dtx_tile_walk_next(&walk)) {
        dtx_tile_walk_get(&walk, lo, to, len);
        for (i = 0; i < r->held->ndim; i++) {
            lo[i] -= local[i];
            to[i] -= r->lo[i];
        }
        dtx_box_copy(&copy, box, r->reader->stage);
    }
}

/* Reads what one shard has of the box. */
static enum dtx_status
read_shard(const struct reading *r, int term, const int *at, char *box,
           struct dtx_error *err)
{
    const struct dtx_side *side = r->held->side;
    int64_t local[DTX_NDIM_MAX], length[DTX_NDIM_MAX], count = 1;
    enum dtx_status status;
    int shard = 0, i, position;

    for (i = 0; i < r->held->ndim; i++) {
        const struct range *range = &r->ranges[i][at[i]];

        shard = shard * side->tiling->dims[i].piece_count + range->piece;
        local[i] = range->local;
        length[i] = range->length;
        count *= length[i];
    }
    shard += term * side->product_count;
    position = side->positions[side->shard_first[shard]];
    if (count == r->count) { /* all of it, and in the same order */
        return read_dataset(r, position, local, length, box, err);
    }
    status = read_dataset(r, position, local, length, r->reader->stage, err);
    if (status == DTX_OK) {
        scatter(r, shard, local, length, box);
    }
    return status;
}

/* Reads the box from all shards of a term that have a part of it. */
static enum dtx_status
read_shards(const struct reading *r, int term, char *box, struct dtx_error *err)
{
    int at[DTX_NDIM_MAX] = {0};
    enum dtx_status status;
    int i;

    do {
        status = read_shard(r, term, at, box, err);
        for (i = r->held->ndim - 1; i >= 0; i--) {
            if (++at[i] < r->range_counts[i]) {
                break;
            }
            at[i] = 0;
        }
    } while (i >= 0 && status == DTX_OK);
    return status;
}

static enum dtx_status
reduce(const struct reading *r, char *box, struct dtx_error *err)
{
    static const int64_t origin[DTX_NDIM_MAX];
    struct dtx_slice slice = {.lo = origin, .len = r->len, .global = r->lo};
    struct element_box all = {r->held->ndim, origin, r->len, 1, &slice};
    int64_t bad = -1;
    enum dtx_status status =
        engine_reduce_terms(r->held->side, r->held->type, &r->reader->ranges,
                            box, r->count, &bad, err);

    if (status != DTX_OK) {
        element_describe(err, r->held->name, bad < 0 ? NULL : &all, bad);
    }
    return status;
}

enum dtx_status
held_read(struct held_reader *reader, int tensor, const int64_t *lo,
          const int64_t *len, char *box, struct dtx_error *err)
{
    const struct dtx_held *held = &reader->holding->tensors[tensor];
    const struct dtx_side *side = held->side;
    struct reading r = {.reader = reader,
                        .tensor = tensor,
                        .held = held,
                        .lo = lo,
                        .len = len,
                        .count = dtx_shape_count(held->ndim, len)};
    enum dtx_status status;
    int term;

    if (reader->holding->layout->view == DTX_VIEW_GLOBAL) {
        return read_dataset(&r, side->positions[0], lo, len, box, err);
    }
    status = list_ranges(&r, err);
    for (term = 0; term < side->term_count && status == DTX_OK; term++) {
        status = read_shards(
            &r, term,
            box + (size_t)term * (size_t)r.count * held->type.size_bytes, err);
    }
    if (status == DTX_OK && side->term_count > 1) {
        status = reduce(&r, box, err);
    }
    return status;
}

void
held_reader_finish(struct held_reader *reader)
{
    dtx_arena_finish(&reader->paths);
    dtx_arena_finish(&reader->ranges);
}
