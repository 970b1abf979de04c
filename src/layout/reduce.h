/*
 * Reductions of pending terms, element by element.
 *
 * The value of a partial tensor is its terms reduced over one mesh axis after
 * another. Terms are always taken in coordinate order, so that the result is
 * the same bits whoever computes it.
 *
 * Reducing goes through accumulators of a type of their own: float32 for
 * floats of 16 bits and fewer, which are rounded once at the end; 64 bits for
 * integers and bool, which are exact: what doesn't fit in 64 bits on the way,
 * or in the type at the end, is refused; the type itself for all others. A NaN
 * makes min and max NaN; of equal values (-0 and 0) they keep the first. Of
 * complex numbers there is no min and max, of integers no avg, and of bool
 * nothing but min and max.
 *
 * Buffers need no alignment.
 */
#ifndef DTX_LAYOUT_REDUCE_H
#define DTX_LAYOUT_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/dtype.h>

#include "layout/layout.h"

/* How a tensor's terms become its value: the partial axes as written. */
struct dtx_reduction {
    enum dtx_dtype dtype;
    int axis_count;         /* 1 … DTX_AXIS_MAX */
    const int *sizes;       /* [axis_count] coordinates, each >= 1 */
    const enum dtx_op *ops; /* [axis_count] */
};

/* True where terms of a dtype can be reduced by op. */
bool dtx_reduce_is_possible(enum dtx_op op, enum dtx_dtype dtype);

/* The type in which terms of a reducible dtype are accumulated. */
enum dtx_dtype dtx_reduce_accumulator(enum dtx_dtype dtype);

/*
 * Reduces all terms of count elements.
 *
 * terms  [product of sizes] in the order of their coordinates, the first axis
 *        the slowest; the first axis is also the one that is reduced first
 * out    count elements; may be one of the terms
 *
 * Every op must be possible. Takes 50 KiB of stack and no heap.
 *
 * Returns -1, or the index of the first element whose value doesn't fit; what
 * is in out is then undefined, but of the terms that element is still as it
 * was.
 */
int64_t dtx_reduce_terms(const struct dtx_reduction *reduction,
                         const void *const *terms, size_t count, void *out);

/* One element that changes nothing: 0 for sum, 1 for product. */
void dtx_reduce_neutral(enum dtx_op op, enum dtx_dtype dtype, void *element);

#endif
