/*
 * Floats of 16 bits and fewer, and the codes they are kept as.
 *
 * The one definition of each conversion: the host's loops (convert_float.c)
 * and the kernels of devices are made of these functions. This header is read
 * as C17 and as CUDA's C++.
 *
 * Rounding is left to one addition. For |x| in [2^e, 2^(e+1)) and a target of
 * p significant bits whose smallest normal is 2^emin, the target's steps at x
 * are q = 2^(max(e, emin) - p + 1). The constant C = 2^52 q (2^23 q in
 * float32) has that very step, so that |x| + C is x rounded to it, to nearest
 * even, subnormals included; and its low bits are the multiple of q, which is
 * the target's mantissa. A carry into the next exponent comes out right by
 * itself. Nothing is rounded twice, as it would be through float32.
 */
#ifndef DTX_LAYOUT_FLOAT_CODE_H
#define DTX_LAYOUT_FLOAT_CODE_H

#include <stdint.h>
#include <string.h>

#include "util/inline.h"

/* A binary float of up to 16 bits. */
struct dtx_narrow {
    int bits;
    int mantissa_bits; /* p - 1 */
    int exponent_min;  /* emin */
    uint32_t max;      /* code of the largest finite value */
    uint32_t nan;
    double limit; /* what saturates or, as a power of two, becomes infinite */
};

DTX_INLINE struct dtx_narrow
dtx_narrow_make(int bits, int mantissa_bits, int exponent_min, uint32_t max,
                uint32_t nan, double limit)
{
    struct dtx_narrow f = {bits, mantissa_bits, exponent_min, max, nan, limit};

    return f;
}

DTX_INLINE struct dtx_narrow
dtx_narrow_float16(void)
{
    return dtx_narrow_make(16, 10, -14, 0x7BFF, 0x7E00, 65536.0);
}

DTX_INLINE struct dtx_narrow
dtx_narrow_bfloat16(void)
{
    return dtx_narrow_make(16, 7, -126, 0x7F7F, 0x7FC0, 0x1p128);
}

DTX_INLINE struct dtx_narrow
dtx_narrow_e4m3fn(void)
{
    return dtx_narrow_make(8, 3, -6, 0x7E, 0x7F, 448.0);
}

DTX_INLINE struct dtx_narrow
dtx_narrow_e5m2(void)
{
    return dtx_narrow_make(8, 2, -14, 0x7B, 0x7E, 65536.0);
}

DTX_INLINE uint32_t
dtx_float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

DTX_INLINE float
dtx_float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

DTX_INLINE uint64_t
dtx_double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

DTX_INLINE double
dtx_double_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * float64 to float32 and back. NaN keeps its sign and what there is room for
 * of its payload, and is made quiet, as processors do; graphics processors
 * forget both.
 */
DTX_INLINE float
dtx_float_of_double(double x)
{
    uint64_t bits = dtx_double_bits(x);
    uint32_t nan = (uint32_t)(bits >> 63 << 31) | UINT32_C(0x7FC00000) |
                   ((uint32_t)(bits >> 29) & UINT32_C(0x3FFFFF));

    return x == x ? (float)x : dtx_float_of_bits(nan);
}

DTX_INLINE double
dtx_double_of_float(float x)
{
    uint64_t bits = dtx_float_bits(x);
    uint64_t nan = bits >> 31 << 63 | UINT64_C(0x7FF8) << 48 |
                   (bits & UINT64_C(0x3FFFFF)) << 29;

    return x == x ? (double)x : dtx_double_of_bits(nan);
}

DTX_INLINE uint32_t
dtx_narrow_encode_double(double x, const struct dtx_narrow f)
{
    const uint64_t exponent_mask = UINT64_C(0x7FF) << 52;
    const uint64_t lowest = (uint64_t)(f.exponent_min + 1023) << 52;
    uint64_t sign = dtx_double_bits(x) >> 63;
    double size = dtx_double_of_bits(dtx_double_bits(x) & (UINT64_MAX >> 1));
    double finite = size < f.limit ? size : f.limit;
    double smallest = dtx_double_of_bits(lowest);
    double scale = finite > smallest ? finite : smallest;
    uint64_t exponent = dtx_double_bits(scale) & exponent_mask;
    uint64_t step = exponent + ((uint64_t)(52 - f.mantissa_bits) << 52);
    uint64_t steps = dtx_double_bits(finite + dtx_double_of_bits(step)) - step;
    uint64_t code = ((exponent - lowest) >> (52 - f.mantissa_bits)) + steps;

    code = x == x ? code : f.nan;
    return (uint32_t)(code | sign << (f.bits - 1));
}

/* The same in float32; bfloat16, whose exponents are float32's, has no room
 * for C. */
DTX_INLINE uint32_t
dtx_narrow_encode_float(float x, const struct dtx_narrow f)
{
    const uint32_t exponent_mask = UINT32_C(0xFF) << 23;
    const uint32_t lowest = (uint32_t)(f.exponent_min + 127) << 23;
    const float limit = (float)f.limit;
    uint32_t sign = dtx_float_bits(x) >> 31;
    float size = dtx_float_of_bits(dtx_float_bits(x) & (UINT32_MAX >> 1));
    float finite = size < limit ? size : limit;
    float smallest = dtx_float_of_bits(lowest);
    float scale = finite > smallest ? finite : smallest;
    uint32_t exponent = dtx_float_bits(scale) & exponent_mask;
    uint32_t step = exponent + ((uint32_t)(23 - f.mantissa_bits) << 23);
    uint32_t steps = dtx_float_bits(finite + dtx_float_of_bits(step)) - step;
    uint32_t code = ((exponent - lowest) >> (23 - f.mantissa_bits)) + steps;

    code = x == x ? code : f.nan;
    return code | sign << (f.bits - 1);
}

/* bfloat16 is the upper half of float32, rounded as an integer. */
DTX_INLINE uint32_t
dtx_bfloat16_encode_float(float x)
{
    uint32_t bits = dtx_float_bits(x);
    uint32_t code = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    uint32_t nan = (bits >> 16 & 0x8000) | 0x7FC0;

    return x == x ? code : nan;
}

DTX_INLINE float
dtx_bfloat16_decode(uint32_t code)
{
    return dtx_float_of_bits(code << 16);
}

/* Exact. A subnormal's mantissa is put behind the smallest normal's leading
 * bit, which is then taken away. */
DTX_INLINE float
dtx_narrow_decode(uint32_t code, const struct dtx_narrow f)
{
    const uint32_t rebias = (uint32_t)(126 + f.exponent_min) << 23;
    const uint32_t smallest = (uint32_t)(127 + f.exponent_min) << 23;
    const uint32_t one = UINT32_C(1) << f.mantissa_bits;
    uint32_t sign = code >> (f.bits - 1) << 31;
    uint32_t size = code & ((UINT32_C(1) << (f.bits - 1)) - 1);
    uint32_t shifted = size << (23 - f.mantissa_bits);
    float subnormal =
        dtx_float_of_bits(shifted + smallest) - dtx_float_of_bits(smallest);
    uint32_t bits = shifted + rebias;

    bits = size < one ? dtx_float_bits(subnormal) : bits;
    bits = size > f.max ? shifted | 0x7F800000 : bits;
    return dtx_float_of_bits(bits | sign);
}

#endif
