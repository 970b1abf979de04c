/*
 * Tile walks: where the elements of one shard stand in the tensor.
 *
 * A shard's own indices, without padding, are cut by the tiles of its pieces
 * into boxes that are boxes of the tensor too.
 */
#ifndef DTX_PLAN_CLASS_TILE_WALK_H
#define DTX_PLAN_CLASS_TILE_WALK_H

#include "plan/class/side.h"

struct dtx_tile_walk {
    const struct dtx_side *side;
    int ndim;
    bool is_whole; /* the box itself is all there is */
    bool started;
    const int64_t *lo; /* [ndim] the box; borrowed */
    const int64_t *len;
    int pieces[DTX_NDIM_MAX];
    int first[DTX_NDIM_MAX]; /* into the dim's piece_tiles */
    int end[DTX_NDIM_MAX];
    int at[DTX_NDIM_MAX];
};

/*
 * Begins a walk over a box of a shard.
 *
 * shard    -1: a dataset that holds the whole tensor
 * lo, len  [ndim] in the shard's indices, within its logical shape, not empty
 */
void dtx_tile_walk_begin(struct dtx_tile_walk *walk,
                         const struct dtx_side *side, int shard,
                         const int64_t *lo, const int64_t *len);

/* Moves to the next box; false at the end. */
bool dtx_tile_walk_next(struct dtx_tile_walk *walk);

/* The box the walk stands on: where it begins in the shard's indices and in
 * the tensor's. All out [ndim]. */
void dtx_tile_walk_get(const struct dtx_tile_walk *walk, int64_t *local_out,
                       int64_t *global_out, int64_t *len_out);

/*
 * The part of a piece that lies in [lo, hi) of a dim, as a range of the
 * piece's own indices: local_out and length_out. Returns false where there is
 * none.
 */
bool dtx_piece_range(const struct dtx_tiling_dim *dim, int piece, int64_t lo,
                     int64_t hi, int64_t *local_out, int64_t *length_out);

#endif
