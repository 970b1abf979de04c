/*
 * Overlaps: where the pieces of two tilings of one dim meet.
 *
 * Two tilings of the same logical extent are merged once. Each pair of a
 * source piece and a target piece that share indices keeps the spans they
 * share, in ascending order. All transfers of a tensor are products, over its
 * dims, of such spans, and are never formed unless asked for.
 *
 * Cost: O((tiles of both) log (tiles of both)).
 */
#ifndef DTX_PLAN_CLASS_OVERLAP_H
#define DTX_PLAN_CLASS_OVERLAP_H

#include <stdint.h>

#include "layout/tiling.h"
#include "util/arena.h"

/* A run of indices that a source and a target piece share. */
struct dtx_span {
    int64_t lo;        /* global index of its first element */
    int64_t length;    /* elements */
    int64_t src_local; /* where it starts in the source piece */
    int64_t dst_local; /* where it starts in the target piece */
    int64_t at;        /* elements of the pair before it */
};

struct dtx_pair {
    int src;        /* piece */
    int dst;        /* piece */
    int64_t length; /* elements of all its spans */
    int span_first;
    int span_count;
};

struct dtx_overlap {
    int src_count; /* pieces */
    int dst_count;
    int pair_count;
    struct dtx_pair *pairs; /* sorted by (src, dst) */
    struct dtx_span *spans;
    int *src_first; /* [src_count + 1] into pairs */
    int *dst_first; /* [dst_count + 1] into dst_pairs */
    int *dst_pairs; /* [pair_count] pair indices, sorted by (dst, src) */
};

/* NULL when out of memory. Both dims have the same logical extent. */
struct dtx_overlap *dtx_overlap_create(struct dtx_arena *arena,
                                       const struct dtx_tiling_dim *src,
                                       const struct dtx_tiling_dim *dst);

/* The pair of two pieces, or NULL where they share nothing. */
const struct dtx_pair *dtx_overlap_find(const struct dtx_overlap *overlap,
                                        int src, int dst);

#endif
