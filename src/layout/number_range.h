/*
 * Which integers a dtype holds: the one place that says it, for the host's
 * loops and the kernels of devices. Read as C17 and as CUDA's C++.
 *
 * Integers meet in 64 bits, two's complement, of which only uint64 doesn't fit
 * int64.
 */
#ifndef DTX_LAYOUT_NUMBER_RANGE_H
#define DTX_LAYOUT_NUMBER_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/dtype.h>

#include "util/inline.h"

struct dtx_range {
    int64_t min;
    uint64_t max;
    int digits; /* floats only: significant bits; 0: an integer or bool */
};

DTX_INLINE struct dtx_range
dtx_range_make(int64_t min, uint64_t max, int digits)
{
    struct dtx_range r = {min, max, digits};

    return r;
}

/* Of integers, bool and real floats; of others, nothing. */
DTX_INLINE struct dtx_range
dtx_range_of(enum dtx_dtype dtype)
{
    switch (dtype) {
    case DTX_INT64:
        return dtx_range_make(INT64_MIN, INT64_MAX, 0);
    case DTX_INT32:
        return dtx_range_make(INT32_MIN, INT32_MAX, 0);
    case DTX_INT16:
        return dtx_range_make(INT16_MIN, INT16_MAX, 0);
    case DTX_INT8:
        return dtx_range_make(INT8_MIN, INT8_MAX, 0);
    case DTX_UINT64:
        return dtx_range_make(0, UINT64_MAX, 0);
    case DTX_UINT32:
        return dtx_range_make(0, UINT32_MAX, 0);
    case DTX_UINT16:
        return dtx_range_make(0, UINT16_MAX, 0);
    case DTX_UINT8:
        return dtx_range_make(0, UINT8_MAX, 0);
    case DTX_BOOL:
        return dtx_range_make(0, 1, 0);
    case DTX_FLOAT64:
        return dtx_range_make(0, UINT64_MAX, 53);
    case DTX_FLOAT32:
        return dtx_range_make(0, UINT64_MAX, 24);
    case DTX_FLOAT16:
        return dtx_range_make(0, 65504, 11);
    case DTX_BFLOAT16:
        return dtx_range_make(0, UINT64_MAX, 8);
    case DTX_FLOAT8_E4M3FN:
        return dtx_range_make(0, 448, 4);
    case DTX_FLOAT8_E5M2:
        return dtx_range_make(0, 57344, 3);
    case DTX_RAW:
    case DTX_COMPLEX64:
    case DTX_COMPLEX128:
    case DTX_DTYPE_COUNT:
        break;
    }
    return dtx_range_make(0, 0, 0);
}

/* A float of p significant bits holds those integers, up to its largest, that
 * are below 2^p times their lowest set bit. size is the integer's magnitude. */
DTX_INLINE bool
dtx_range_holds_as_float(struct dtx_range r, uint64_t size)
{
    uint64_t lowest_bit = size & (0 - size);

    return size <= r.max && size >> r.digits <= lowest_bit - 1;
}

/* Whether an integer or bool of this range holds a wide integer. */
DTX_INLINE bool
dtx_range_holds(struct dtx_range r, bool is_unsigned, uint64_t wide)
{
    if (is_unsigned || wide >> 63 == 0) {
        return wide <= r.max;
    }
    return (int64_t)wide >= r.min;
}

#endif
