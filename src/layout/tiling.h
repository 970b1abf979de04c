/*
 * Tilings: which runs of indices each coordinate of a mesh holds.
 *
 * A shard is a product of run lists, one list per dim. A tiling keeps, per
 * dim, the tiles into which the axes that shard it cut the logical extent.
 * Each tile belongs to one piece: the piece of a position is the mixed-radix
 * number of its coordinates on the dim's axes, in the order as written. A
 * piece can hold several tiles (strided, segmented) or none (empty).
 *
 * Invariants:
 *  - a dim's tiles are sorted, disjoint, not empty, and cover [0, logical);
 *  - tiles of one piece, taken in order, are in the shard's local order too;
 *  - padding is in extents but in no tile; it stands beyond the logical extent,
 *    and as a piece's indices ascend it comes last in its piece;
 *  - the extents of a dim's pieces sum to its stored extent.
 *
 * Cost: O(tiles), at most the number of pieces times segments and factors.
 */
#ifndef DTX_LAYOUT_TILING_H
#define DTX_LAYOUT_TILING_H

#include <stdint.h>

#include "layout/layout.h"

struct dtx_tile {
    int64_t lo, hi; /* global (logical) indices */
    int64_t local;  /* where it starts in the piece, in stored elements */
    int piece;
};

struct dtx_tiling_dim {
    int64_t logical;
    int64_t stored; /* logical with all padding, of `pad` and `split: pad` */
    int axis_count;
    int axes[DTX_AXIS_MAX];    /* that shard the dim, in the order as written */
    int strides[DTX_AXIS_MAX]; /* piece = sum of coordinate * stride */
    int piece_count;
    int64_t *extents; /* [piece_count] length of each piece, with padding */
    int tile_count;
    struct dtx_tile *tiles; /* [tile_count], sorted by lo */
    int *piece_first;       /* [piece_count + 1] into piece_tiles */
    int *piece_tiles;       /* [tile_count] tile indices, piece by piece */
};

/* A partial axis, in the order as written. */
struct dtx_tiling_partial {
    int axis;
    enum dtx_op op;
};

struct dtx_tiling {
    int ndim;
    struct dtx_tiling_dim *dims; /* [ndim] */
    int partial_count;
    struct dtx_tiling_partial partials[DTX_AXIS_MAX];
};

/*
 * Builds the tiling of a tensor under a rule.
 *
 * shape  [ndim] the logical shape
 * name   the tensor, for messages
 * list   receives every mistake that shows only with the shape: a dim that
 *        doesn't exist, sizes or segments that don't sum up, `even` that
 *        doesn't divide, sharding a scalar, pad below the extent. The rule's
 *        `shape` is not looked at.
 *
 * The tiling is in the arena. NULL after a diagnostic or out of memory
 * (distinguished by dtx_diagnostics_error_count() not having grown).
 */
struct dtx_tiling *
dtx_tiling_create(struct dtx_arena *arena, const struct dtx_layout *layout,
                  const struct dtx_rule *rule, const char *name, int ndim,
                  const int64_t *shape, struct dtx_diagnostics *list);

/* The piece of a dim that a position holds. */
int dtx_tiling_piece(const struct dtx_tiling *tiling,
                     const struct dtx_mesh *mesh, int dim, int position);

/* The shape of a position's shard as stored. shape_out [ndim]. */
void dtx_tiling_local_shape(const struct dtx_tiling *tiling,
                            const struct dtx_mesh *mesh, int position,
                            int64_t *shape_out);

/* The tile that holds a logical index, by binary search; -1 if none does. */
int dtx_tiling_find(const struct dtx_tiling_dim *dim, int64_t index);

/*
 * Which axes shard a dim under a rule, before the shape is known: the dims
 * of negative numbers resolved with ndim. axes_out [DTX_AXIS_MAX]. Returns
 * how many.
 */
int dtx_rule_axes(const struct dtx_rule *rule, int ndim, int dim,
                  int *axes_out);

#endif
