/*
 * What a thread of a device does with an element that becomes another type.
 *
 * Elements stand at multiples of their sizes. See kernel_box.h.
 */
#ifndef DTX_DEVICE_KERNEL_ELEMENT_H
#define DTX_DEVICE_KERNEL_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <dtx/dtype.h>

#include "layout/float_code.h"
#include "layout/number_range.h"
#include "util/inline.h"

/* A conversion of real elements. */
struct dtx_convert_job {
    enum dtx_dtype from, to;
    const unsigned char *in;
    unsigned char *out;
    uint64_t count; /* real ones */
    uint64_t parts; /* of them that are one element: 2 of complex ones */
    bool measures_loss;
};

/* Real dtypes only: complex elements are two of them. */
DTX_INLINE bool
dtx_element_is_float(enum dtx_dtype dtype)
{
    return dtx_range_of(dtype).digits > 0;
}

DTX_INLINE uint64_t
dtx_element_bits(const unsigned char *p, int bytes)
{
    uint64_t u64;
    uint32_t u32;
    uint16_t u16;

    switch (bytes) {
    case 8:
        memcpy(&u64, p, 8);
        return u64;
    case 4:
        memcpy(&u32, p, 4);
        return u32;
    case 2:
        memcpy(&u16, p, 2);
        return u16;
    default:
        return *p;
    }
}

DTX_INLINE void
dtx_element_set_bits(unsigned char *p, int bytes, uint64_t bits)
{
    uint32_t u32 = (uint32_t)bits;
    uint16_t u16 = (uint16_t)bits;

    switch (bytes) {
    case 8:
        memcpy(p, &bits, 8);
        break;
    case 4:
        memcpy(p, &u32, 4);
        break;
    case 2:
        memcpy(p, &u16, 2);
        break;
    default:
        *p = (unsigned char)bits;
        break;
    }
}

DTX_INLINE int
dtx_element_bytes(enum dtx_dtype dtype)
{
    switch (dtype) {
    case DTX_FLOAT64:
    case DTX_INT64:
    case DTX_UINT64:
    case DTX_COMPLEX64:
        return 8;
    case DTX_FLOAT32:
    case DTX_INT32:
    case DTX_UINT32:
        return 4;
    case DTX_FLOAT16:
    case DTX_BFLOAT16:
    case DTX_INT16:
    case DTX_UINT16:
        return 2;
    case DTX_FLOAT8_E4M3FN:
    case DTX_FLOAT8_E5M2:
    case DTX_INT8:
    case DTX_UINT8:
    case DTX_BOOL:
        return 1;
    case DTX_COMPLEX128:
        return 16;
    case DTX_RAW:
    case DTX_DTYPE_COUNT:
        break;
    }
    return 0;
}

/* An integer or bool in 64 bits. */
DTX_INLINE uint64_t
dtx_element_wide(enum dtx_dtype dtype, const unsigned char *p)
{
    int bytes = dtx_element_bytes(dtype);
    uint64_t bits = dtx_element_bits(p, bytes);
    int unused = 64 - 8 * bytes;

    if (dtype == DTX_BOOL) {
        return bits != 0;
    }
    return dtx_range_of(dtype).min < 0
               ? (uint64_t)((int64_t)(bits << unused) >> unused)
               : bits;
}

/* A float of 32 bits or fewer. */
DTX_INLINE float
dtx_element_float(enum dtx_dtype dtype, const unsigned char *p)
{
    uint32_t code = (uint32_t)dtx_element_bits(p, dtx_element_bytes(dtype));

    if (dtype == DTX_FLOAT16) {
        return dtx_narrow_decode(code, dtx_narrow_float16());
    }
    if (dtype == DTX_BFLOAT16) {
        return dtx_bfloat16_decode(code);
    }
    if (dtype == DTX_FLOAT8_E4M3FN) {
        return dtx_narrow_decode(code, dtx_narrow_e4m3fn());
    }
    if (dtype == DTX_FLOAT8_E5M2) {
        return dtx_narrow_decode(code, dtx_narrow_e5m2());
    }
    return dtx_float_of_bits(code);
}

/* The value of any float. */
DTX_INLINE double
dtx_element_double(enum dtx_dtype dtype, const unsigned char *p)
{
    if (dtype == DTX_FLOAT64) {
        return dtx_double_of_bits(dtx_element_bits(p, 8));
    }
    return dtx_double_of_float(dtx_element_float(dtype, p));
}

/* The bits of a float64 as another float. */
DTX_INLINE uint64_t
dtx_element_of_double(enum dtx_dtype to, double x)
{
    if (to == DTX_FLOAT32) {
        return dtx_float_bits(dtx_float_of_double(x));
    }
    if (to == DTX_FLOAT16) {
        return dtx_narrow_encode_double(x, dtx_narrow_float16());
    }
    if (to == DTX_BFLOAT16) {
        return dtx_narrow_encode_double(x, dtx_narrow_bfloat16());
    }
    if (to == DTX_FLOAT8_E4M3FN) {
        return dtx_narrow_encode_double(x, dtx_narrow_e4m3fn());
    }
    if (to == DTX_FLOAT8_E5M2) {
        return dtx_narrow_encode_double(x, dtx_narrow_e5m2());
    }
    return dtx_double_bits(x);
}

DTX_INLINE uint64_t
dtx_element_of_float(enum dtx_dtype to, float x)
{
    if (to == DTX_FLOAT64) {
        return dtx_double_bits(dtx_double_of_float(x));
    }
    if (to == DTX_FLOAT16) {
        return dtx_narrow_encode_float(x, dtx_narrow_float16());
    }
    if (to == DTX_BFLOAT16) {
        return dtx_bfloat16_encode_float(x);
    }
    if (to == DTX_FLOAT8_E4M3FN) {
        return dtx_narrow_encode_float(x, dtx_narrow_e4m3fn());
    }
    if (to == DTX_FLOAT8_E5M2) {
        return dtx_narrow_encode_float(x, dtx_narrow_e5m2());
    }
    return dtx_float_bits(x);
}

/* The integer of one element as another type; false where it has none. */
DTX_INLINE bool
dtx_element_of_wide(enum dtx_dtype to, bool is_unsigned, uint64_t wide,
                    uint64_t *bits_out)
{
    struct dtx_range r = dtx_range_of(to);
    bool is_negative = !is_unsigned && wide >> 63 != 0;
    uint64_t size = is_negative ? 0 - wide : wide;

    if (r.digits == 0) {
        *bits_out = wide;
        return dtx_range_holds(r, is_unsigned, wide);
    }
    *bits_out =
        dtx_element_of_double(to, is_negative ? -(double)size : (double)size);
    return dtx_range_holds_as_float(r, size);
}

/*
 * Converts one element, as dtx_convert() does; false where its value doesn't
 * fit, and nothing is written then.
 */
DTX_INLINE bool
dtx_element_convert(enum dtx_dtype from, enum dtx_dtype to,
                    const unsigned char *in, unsigned char *out)
{
    uint64_t bits = 0;

    if (from == to) {
        bits = dtx_element_bits(in, dtx_element_bytes(from));
    } else if (from == DTX_FLOAT64) {
        bits = dtx_element_of_double(to, dtx_element_double(from, in));
    } else if (dtx_element_is_float(from)) {
        bits = dtx_element_of_float(to, dtx_element_float(from, in));
    } else if (!dtx_element_of_wide(to, from == DTX_UINT64,
                                    dtx_element_wide(from, in), &bits)) {
        return false;
    }
    dtx_element_set_bits(out, dtx_element_bytes(to), bits);
    return true;
}

/*
 * How far a float is from what it was: raises the largest absolute and
 * relative difference, of which NaN has none. What was finite and isn't any
 * more differs without end.
 */
DTX_INLINE void
dtx_element_loss(enum dtx_dtype from, enum dtx_dtype to,
                 const unsigned char *in, const unsigned char *out,
                 double *absolute, double *relative)
{
    double before = dtx_element_double(from, in);
    double difference = before - dtx_element_double(to, out);
    double magnitude = before < 0 ? -before : before;
    double share;

    difference = difference < 0 ? -difference : difference;
    if (!(difference > 0)) {
        return;
    }
    *absolute = difference > *absolute ? difference : *absolute;
    share = difference / magnitude;
    *relative = share > *relative ? share : *relative;
}

#endif
