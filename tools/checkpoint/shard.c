#include "shard.h"

#include <string.h>

#include "element.h"
#include "layout/shape.h"
#include "util/math.h"

/* The runs of a piece: its tiles, and padding where they leave gaps. */
static bool
make_piece_runs(const struct dtx_tiling_dim *dim, int piece,
                struct dtx_arena *arena, struct run **runs_out, int *count_out)
{
    int first = dim->piece_first[piece];
    int tile_count = dim->piece_first[piece + 1] - first;
    struct run *runs =
        dtx_arena_alloc(arena, 2 * (size_t)tile_count + 1, sizeof(*runs));
    int64_t at = 0;
    int count = 0;

    if (runs == NULL) {
        return false;
    }
    for (int i = 0; i < tile_count; i++) {
        const struct dtx_tile *tile = &dim->tiles[dim->piece_tiles[first + i]];

        if (tile->local > at) {
            runs[count++] = (struct run){at, tile->local - at, -1};
        }
        runs[count++] =
            (struct run){tile->local, tile->hi - tile->lo, tile->lo};
        at = tile->local + tile->hi - tile->lo;
    }
    if (dim->extents[piece] > at) {
        runs[count++] = (struct run){at, dim->extents[piece] - at, -1};
    }
    *runs_out = runs;
    *count_out = count;
    return true;
}

/* The whole dim, and its padding. */
static bool
make_whole_runs(const struct dtx_tiling_dim *dim, struct dtx_arena *arena,
                struct run **runs_out, int *count_out)
{
    struct run *runs = dtx_arena_alloc(arena, 2, sizeof(*runs));

    if (runs == NULL) {
        return false;
    }
    runs[0] = (struct run){0, dim->logical, 0};
    runs[1] = (struct run){dim->logical, dim->stored - dim->logical, -1};
    *runs_out = runs;
    *count_out = dim->stored > dim->logical ? 2 : 1;
    return true;
}

/*
 * Partial axes: sum and product keep the value at coordinate 0 and have their
 * neutral number at the others, so that reducing is exact; the other
 * reductions have it everywhere. The first axis as written decides, because
 * it is reduced first.
 */
static int
find_constant(const struct dtx_layout *layout, const struct dtx_tiling *tiling,
              int position)
{
    for (int i = 0; i < tiling->partial_count; i++) {
        const struct dtx_tiling_partial *partial = &tiling->partials[i];

        if ((partial->op == DTX_SUM || partial->op == DTX_PRODUCT) &&
            dtx_mesh_coordinate(&layout->mesh, position, partial->axis) != 0) {
            return partial->op == DTX_PRODUCT ? 1 : 0;
        }
    }
    return -1;
}

bool
shard_make(const struct dtx_layout *layout, const struct tensor *tensor,
           const struct dtx_tiling *tiling, int position,
           struct dtx_arena *arena, struct shard *shard_out)
{
    bool is_whole = layout->view == DTX_VIEW_GLOBAL;
    int64_t stride = 1;

    shard_out->tensor = tensor;
    shard_out->constant = find_constant(layout, tiling, position);
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        const struct dtx_tiling_dim *dim = &tiling->dims[d];
        int piece = dtx_tiling_piece(tiling, &layout->mesh, d, position);
        bool ok = is_whole
                      ? make_whole_runs(dim, arena, &shard_out->runs[d],
                                        &shard_out->run_counts[d])
                      : make_piece_runs(dim, piece, arena, &shard_out->runs[d],
                                        &shard_out->run_counts[d]);

        if (!ok) {
            return false;
        }
        shard_out->shape[d] = is_whole ? dim->stored : dim->extents[piece];
        shard_out->strides[d] = stride;
        stride *= tensor->shape[d];
    }
    return true;
}

int64_t
shard_count(const struct shard *shard)
{
    return dtx_shape_count(shard->tensor->ndim, shard->shape);
}

int64_t
shard_global(const struct shard *shard, int dim, int64_t local)
{
    for (int i = 0; i < shard->run_counts[dim]; i++) {
        const struct run *run = &shard->runs[dim][i];

        if (local < run->local + run->length) {
            return run->global < 0 ? -1 : run->global + local - run->local;
        }
    }
    return -1;
}

/* A box that is being made. */
struct fill {
    const struct shard *shard;
    const int64_t *lo;
    const int64_t *len;
    enum padding padding;
    int tail; /* this dim's runs are contiguous: all later dims are whole */
    size_t below[DTX_NDIM_MAX]; /* elements of the box per index of a dim */
};

static bool
dim_is_whole(const struct shard *shard, int d, const int64_t *len)
{
    return shard->run_counts[d] == 1 && shard->runs[d][0].global == 0 &&
           len[d] == shard->shape[d] &&
           shard->shape[d] == shard->tensor->shape[d];
}

static void
fill_values(const struct shard *shard, int64_t index, size_t count, char *out)
{
    enum dtx_dtype dtype = shard->tensor->type.dtype;

    if (shard->constant >= 0) {
        element_fill_constant(dtype, shard->constant, count, out);
    } else {
        element_fill(dtype, shard->tensor->key, index, count, out);
    }
}

static void
fill_padding(enum padding padding, size_t bytes, char *out)
{
    if (padding != PADDING_KEEP) {
        memset(out, padding == PADDING_ZERO ? 0 : 0xff, bytes);
    }
}

/* Makes one index of the dims before d, whose part of the global index is
 * base. Returns where the next one goes. */
static char *
fill_dim(const struct fill *fill, int d, int64_t base, char *out)
{
    const struct shard *shard = fill->shard;
    size_t below = fill->below[d];
    size_t size = shard->tensor->type.size_bytes;
    int64_t hi = fill->lo[d] + fill->len[d];

    for (int i = 0; i < shard->run_counts[d]; i++) {
        const struct run *run = &shard->runs[d][i];
        int64_t from = dtx_max(run->local, fill->lo[d]);
        int64_t to = dtx_min(run->local + run->length, hi);
        int64_t index =
            base + (run->global + from - run->local) * shard->strides[d];

        if (from >= to) {
            continue;
        }
        if (run->global >= 0 && d < fill->tail) {
            for (; from < to; from++, index += shard->strides[d]) {
                out = fill_dim(fill, d + 1, index, out);
            }
            continue;
        }
        if (run->global >= 0) {
            fill_values(shard, index, (size_t)(to - from) * below, out);
        } else {
            fill_padding(fill->padding, (size_t)(to - from) * below * size,
                         out);
        }
        out += (size_t)(to - from) * below * size;
    }
    return out;
}

void
shard_fill(const struct shard *shard, const int64_t *lo, const int64_t *len,
           enum padding padding, void *buffer)
{
    struct fill fill = {
        .shard = shard, .lo = lo, .len = len, .padding = padding};
    int ndim = shard->tensor->ndim;
    size_t below = 1;

    if (ndim == 0) {
        fill_values(shard, 0, 1, buffer);
        return;
    }
    for (int d = ndim - 1; d >= 0; d--) {
        fill.below[d] = below;
        below *= (size_t)len[d];
    }
    fill.tail = ndim - 1;
    while (fill.tail > 0 && dim_is_whole(shard, fill.tail, len)) {
        fill.tail--;
    }
    fill_dim(&fill, 0, 0, buffer);
}
