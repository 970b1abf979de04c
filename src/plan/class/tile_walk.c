#include "plan/class/tile_walk.h"

#include "util/math.h"

static const struct dtx_tile *
piece_tile(const struct dtx_tiling_dim *dim, int index)
{
    return &dim->tiles[dim->piece_tiles[index]];
}

/* The first of a piece's tiles that ends behind a local index. */
static int
find_local(const struct dtx_tiling_dim *dim, int piece, int64_t local)
{
    int lo = dim->piece_first[piece], hi = dim->piece_first[piece + 1];

    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;
        const struct dtx_tile *tile = piece_tile(dim, middle);

        if (tile->local + tile->hi - tile->lo <= local) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

void
dtx_tile_walk_begin(struct dtx_tile_walk *walk, const struct dtx_side *side,
                    int shard, const int64_t *lo, const int64_t *len)
{
    int i;

    walk->side = side;
    walk->ndim = side->tiling->ndim;
    walk->is_whole = shard < 0;
    walk->started = false;
    walk->lo = lo;
    walk->len = len;
    if (walk->is_whole) {
        return;
    }
    dtx_side_pieces(side, shard, walk->pieces);
    for (i = 0; i < walk->ndim; i++) {
        const struct dtx_tiling_dim *dim = &side->tiling->dims[i];
        int piece = walk->pieces[i];

        walk->first[i] = walk->at[i] = find_local(dim, piece, lo[i]);
        walk->end[i] = find_local(dim, piece, lo[i] + len[i] - 1) + 1;
    }
}

bool
dtx_tile_walk_next(struct dtx_tile_walk *walk)
{
    int i;

    if (!walk->started) {
        walk->started = true;
        return true;
    }
    if (walk->is_whole) {
        return false;
    }
    for (i = walk->ndim - 1; i >= 0; i--) {
        if (++walk->at[i] < walk->end[i]) {
            return true;
        }
        walk->at[i] = walk->first[i];
    }
    return false;
}

void
dtx_tile_walk_get(const struct dtx_tile_walk *walk, int64_t *local_out,
                  int64_t *global_out, int64_t *len_out)
{
    int i;

    for (i = 0; i < walk->ndim; i++) {
        int64_t begin = walk->lo[i], end = walk->lo[i] + walk->len[i];

        global_out[i] = begin;
        if (!walk->is_whole) {
            const struct dtx_tile *tile =
                piece_tile(&walk->side->tiling->dims[i], walk->at[i]);

            begin = dtx_max(begin, tile->local);
            end = dtx_min(end, tile->local + tile->hi - tile->lo);
            global_out[i] = tile->lo + begin - tile->local;
        }
        local_out[i] = begin;
        len_out[i] = end - begin;
    }
}

bool
dtx_piece_range(const struct dtx_tiling_dim *dim, int piece, int64_t lo,
                int64_t hi, int64_t *local_out, int64_t *length_out)
{
    int first = dim->piece_first[piece], end = dim->piece_first[piece + 1];
    int low = first, high = end;
    const struct dtx_tile *tile;

    while (low < high) { /* the first tile that ends behind lo */
        int middle = low + (high - low) / 2;

        if (piece_tile(dim, middle)->hi <= lo) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    first = low;
    high = end;
    while (low < high) { /* the first tile that begins at or behind hi */
        int middle = low + (high - low) / 2;

        if (piece_tile(dim, middle)->lo < hi) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (first == low) {
        return false;
    }
    tile = piece_tile(dim, first);
    *local_out = tile->local + dtx_max(lo, tile->lo) - tile->lo;
    tile = piece_tile(dim, low - 1);
    *length_out = tile->local + dtx_min(hi, tile->hi) - tile->lo - *local_out;
    return true;
}
