/*
 * Regions: boxes of one dataset gathered into as few large boxes as possible.
 *
 * The boxes of a shard in one part of a tensor are mostly the product of runs
 * per dim, and touch. Where they fill the product of their joined runs
 * exactly, those products are the regions (whole rows, say, where each peer
 * takes some columns); else each distinct box is a region of its own, so that
 * never more is read than is needed. Equal boxes (for several peers) share a
 * region. So does each box whose elements lie in long runs anyway: it needn't
 * be put together with others before it is written, or taken apart.
 */
#ifndef DTX_PLAN_STEP_REGION_H
#define DTX_PLAN_STEP_REGION_H

#include "plan/step/step.h"

/* A box of a dataset and where its bytes stand in a message. */
struct dtx_region_box {
    const int64_t *lo;     /* [ndim] in the dataset */
    const int64_t *len;    /* [ndim] */
    const int64_t *global; /* [ndim] as in the slice */
    int copy, copy_count;  /* as in the slice */
    int message;
    int term;
    size_t offset;
    const int64_t *box_len, *box_lo;
};

/* Growing lists, in the order in which they were built. */
struct dtx_regions {
    struct dtx_region *array;
    size_t count, capacity;
    struct dtx_slice *slices;
    size_t slice_count, slice_capacity;
};

/*
 * Appends the regions of the boxes of one dataset.
 *
 * boxes  [count] none empty, any order (reordered); their terms may cover one
 *        another, all else is disjoint or equal
 * like   tensor and positions for the new regions
 * wide   the least elements of a long run; INT64_MAX: none is long
 * arena  receives lo and len of regions and slices
 *
 * Returns -1 when out of memory.
 */
int dtx_regions_add(struct dtx_regions *regions, int ndim,
                    struct dtx_region_box *boxes, int count,
                    const struct dtx_region *like, int64_t wide,
                    struct dtx_arena *arena);

/*
 * The elements of a run that is long enough to be read or written by itself;
 * INT64_MAX where a region shouldn't be parted, since chunks or terms are gone
 * through only once.
 *
 * like  as above, of a source region where it reads
 */
int64_t dtx_region_wide(const struct dtx_plan *plan,
                        const struct dtx_region *like, bool reads,
                        size_t element_bytes);

void dtx_regions_finish(struct dtx_regions *regions);

#endif
