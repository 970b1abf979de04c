/*
 * Shapes and boxes: extents per dim, in elements, never bytes.
 *
 * A box is the set of indices i with lo[d] <= i[d] < lo[d] + len[d] in every
 * dim d. Everywhere it is two arrays of ndim numbers, `lo` and `len`, which
 * stand where their owner puts them: boxes come by the million. Neighbours
 * touch and share no element. A scalar has no dim and holds one element; one
 * len of 0 makes a box empty.
 */
#ifndef DTX_LAYOUT_SHAPE_H
#define DTX_LAYOUT_SHAPE_H

#include <stdint.h>

#include "layout/limits.h"

/*
 * The number of elements of a shape, checked.
 *
 * shape  [ndim] extents, each >= 0
 *
 * Returns -1 where it would not fit in int64_t.
 */
int64_t dtx_shape_count(int ndim, const int64_t *shape);

#endif
