#include "plan/step/store.h"

/* The elements of a piece before a global index: where it would stand. */
static int64_t
elements_before(const struct dtx_tiling_dim *dim, int piece, int64_t index)
{
    int first = dim->piece_first[piece];
    int lo = first, hi = dim->piece_first[piece + 1];
    const struct dtx_tile *tile;

    while (lo < hi) { /* the first tile that begins at or behind it */
        int middle = lo + (hi - lo) / 2;

        if (dim->tiles[dim->piece_tiles[middle]].lo < index) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    if (lo == first) {
        return 0;
    }
    tile = &dim->tiles[dim->piece_tiles[lo - 1]];
    return tile->local + (index < tile->hi ? index : tile->hi) - tile->lo;
}

void
dtx_store_box(const struct dtx_side *side, int shard,
              const int64_t *part_counts, const int64_t *part, int64_t *lo_out,
              int64_t *len_out)
{
    int pieces[DTX_NDIM_MAX];
    int dim;

    dtx_side_pieces(side, shard, pieces);
    for (dim = 0; dim < side->tiling->ndim; dim++) {
        const struct dtx_tiling_dim *d = &side->tiling->dims[dim];
        int64_t begin = dtx_cut(d->logical, part_counts[dim], part[dim]);
        int64_t end = dtx_cut(d->logical, part_counts[dim], part[dim] + 1);

        lo_out[dim] = elements_before(d, pieces[dim], begin);
        len_out[dim] = elements_before(d, pieces[dim], end) - lo_out[dim];
    }
}

uint64_t
dtx_store_bytes(const struct dtx_side *side, int process,
                const int64_t *part_counts, const int64_t *part,
                size_t element_bytes)
{
    int first, i, dim, count = dtx_side_uses(side, process, &first);
    uint64_t sum = 0;

    for (i = 0; i < count; i++) {
        int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX];
        uint64_t bytes = element_bytes;

        dtx_store_box(side, side->uses[first + i].shard, part_counts, part, lo,
                      len);
        for (dim = 0; dim < side->tiling->ndim; dim++) {
            bytes *= (uint64_t)len[dim];
        }
        sum += bytes;
    }
    return sum;
}

void
dtx_store_walk_begin(struct dtx_store_walk *walk, const struct dtx_side *side,
                     int process, const int64_t *part_counts,
                     const int64_t *part, size_t element_bytes, size_t offset)
{
    *walk = (struct dtx_store_walk){.side = side,
                                    .part_counts = part_counts,
                                    .part = part,
                                    .element_bytes = element_bytes,
                                    .offset = offset};
    walk->end = dtx_side_uses(side, process, &walk->use) + walk->use;
}

void
dtx_store_walk_find(struct dtx_store_walk *walk, int shard, int64_t *lo_out,
                    int64_t *len_out)
{
    int dim;

    for (; walk->use < walk->end; walk->use++) {
        const struct dtx_use *use = &walk->side->uses[walk->use];
        size_t bytes = walk->element_bytes;

        dtx_store_box(walk->side, use->shard, walk->part_counts, walk->part,
                      lo_out, len_out);
        if (use->shard == shard) {
            return;
        }
        for (dim = 0; dim < walk->side->tiling->ndim; dim++) {
            bytes *= (size_t)len_out[dim];
        }
        walk->offset += bytes;
    }
}
