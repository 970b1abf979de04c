#include "tiling_claims.h"

#include "reference.h"

const char *
tiling_breaks(const struct dtx_tiling_dim *dim)
{
    int64_t end = 0, stored = 0;

    for (int i = 0; i < dim->tile_count; i++) {
        const struct dtx_tile *tile = &dim->tiles[i];

        if (tile->lo != end || tile->hi <= tile->lo) {
            return "tiles leave a gap, overlap, or are empty";
        }
        if (i > 0 && tile[-1].piece == tile->piece) {
            return "neighbours of one piece are two tiles";
        }
        if (tile->piece < 0 || tile->piece >= dim->piece_count ||
            tile->local + (tile->hi - tile->lo) > dim->extents[tile->piece]) {
            return "a tile reaches beyond its piece";
        }
        if (dtx_tiling_find(dim, tile->lo) != i ||
            dtx_tiling_find(dim, tile->hi - 1) != i) {
            return "a tile isn't found by its indices";
        }
        end = tile->hi;
    }
    if (end != dim->logical || dtx_tiling_find(dim, end) != -1 ||
        dtx_tiling_find(dim, -1) != -1) {
        return "tiles don't cover the logical extent";
    }
    for (int piece = 0; piece < dim->piece_count; piece++) {
        stored += dim->extents[piece];
        for (int i = dim->piece_first[piece]; i < dim->piece_first[piece + 1];
             i++) {
            if (dim->tiles[dim->piece_tiles[i]].piece != piece ||
                (i > dim->piece_first[piece] &&
                 dim->piece_tiles[i - 1] >= dim->piece_tiles[i])) {
                return "a piece lists other tiles than its own, in order";
            }
        }
    }
    if (stored != dim->stored || dim->piece_first[0] != 0 ||
        dim->piece_first[dim->piece_count] != dim->tile_count) {
        return "extents don't sum to the stored extent";
    }
    return NULL;
}

/* What a piece holds, as the reference would list it. */
static void
list_piece(const struct dtx_tiling_dim *dim, int piece, struct reference *out)
{
    out->count = (int)dim->extents[piece];
    for (int i = 0; i < out->count; i++) {
        out->items[i] = REFERENCE_PADDING;
    }
    for (int i = dim->piece_first[piece]; i < dim->piece_first[piece + 1];
         i++) {
        const struct dtx_tile *tile = &dim->tiles[dim->piece_tiles[i]];

        for (int64_t index = tile->lo; index < tile->hi; index++) {
            out->items[tile->local + index - tile->lo] = (int)index;
        }
    }
}

const char *
tiling_differs(const struct fixture *f, const struct dtx_tiling *tiling,
               const int64_t *shape)
{
    const struct dtx_mesh *mesh = &f->layout.mesh;
    struct reference is, should;
    int64_t local[DTX_NDIM_MAX];

    for (int dim = 0; dim < tiling->ndim; dim++) {
        const char *broken = tiling_breaks(&tiling->dims[dim]);

        if (broken != NULL) {
            return broken;
        }
        for (int position = 0; position < mesh->position_count; position++) {
            int piece = dtx_tiling_piece(tiling, mesh, dim, position);

            list_piece(&tiling->dims[dim], piece, &is);
            dtx_tiling_local_shape(tiling, mesh, position, local);
            if (!reference_indices(&f->layout, &f->rule, tiling->ndim, shape,
                                   dim, position, &should)) {
                return "a tiling that `even` forbids";
            }
            if (is.count != should.count || local[dim] != should.count) {
                return "a shard of another length";
            }
            for (int i = 0; i < is.count; i++) {
                if (is.items[i] != should.items[i]) {
                    return "a shard of other elements";
                }
            }
        }
    }
    return NULL;
}
