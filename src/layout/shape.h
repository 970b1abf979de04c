/*
 * Boxes: axis-aligned regions of a tensor.
 *
 * A box is the set of indices i with lo[d] <= i[d] < hi[d] in every dim d,
 * in elements, never bytes. Neighbours share a corner value and never an
 * element. A scalar has ndim 0 and holds one element; lo[d] == hi[d] in any
 * dim makes a box empty.
 */
#ifndef DTX_LAYOUT_BOX_H
#define DTX_LAYOUT_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/status.h>

#include "layout/limits.h"

struct dtx_box {
    int ndim;
    int64_t lo[DTX_NDIM_MAX];
    int64_t hi[DTX_NDIM_MAX];
};

/*
 * The number of elements of a shape, checked.
 *
 * shape  [ndim] extents, each >= 0
 *
 * Returns -1 where it would not fit in int64_t.
 */
int64_t dtx_shape_count(int ndim, const int64_t *shape);

/* The number of elements; the box's count must fit (shape checked before). */
int64_t dtx_box_count(const struct dtx_box *box);
bool dtx_box_is_empty(const struct dtx_box *box);
/* False (and *out untouched) where they share no element. out may be a or b. */
bool dtx_box_intersect(const struct dtx_box *a, const struct dtx_box *b,
                       struct dtx_box *out);

#endif
