/*
 * Copying a box from one array into another.
 *
 * Both arrays have the same dims in the same order, and are mostly dense and
 * row-major, so that a copy walks both forward in memory: nothing is
 * transposed, every cache line is met once, and blocking would win nothing.
 * What counts is the length of the contiguous run and, where it is short, the
 * cost of each. Arrays of programs can have strides of their own.
 */
#ifndef DTX_DEVICE_BOX_COPY_H
#define DTX_DEVICE_BOX_COPY_H

#include <stddef.h>
#include <stdint.h>

/*
 * One box in two arrays. All in elements, [ndim] each, borrowed.
 *
 * The box lies inside both shapes, and both arrays' sizes in bytes fit in
 * int64_t; the caller has checked this. The arrays don't overlap.
 */
struct dtx_box_copy {
    int ndim; /* 0 to DTX_NDIM_MAX; 0 copies one element */
    size_t element_bytes;
    const int64_t *len; /* the box's extent; 0 in any dim copies nothing */
    const int64_t *dst_shape;
    const int64_t *dst_lo; /* where the box begins */
    const int64_t *src_shape;
    const int64_t *src_lo;
    /* Bytes from one index to the next, >= 0; NULL: dense and row-major, as the
     * shape says. The shape is not looked at where there are strides. */
    const int64_t *dst_strides;
    const int64_t *src_strides;
};

/* Copies the box. Never fails, never allocates. */
void dtx_box_copy(const struct dtx_box_copy *copy, void *dst, const void *src);

#endif
