/*
 * Float kernels.
 *
 * Rounding is left to one addition. For |x| in [2^e, 2^(e+1)) and a target of
 * p significant bits whose smallest normal is 2^emin, the target's steps at x
 * are q = 2^(max(e, emin) - p + 1). The constant C = 2^52 q (2^23 q in
 * float32) has that very step, so that |x| + C is x rounded to it, to nearest
 * even, subnormals included; and its low bits are the multiple of q, which is
 * the target's mantissa. A carry into the next exponent comes out right by
 * itself. Nothing is rounded twice, as it would be through float32.
 */
#include <float.h>
#include <string.h>

#include "layout/convert_kernels.h"

_Static_assert(FLT_EVAL_METHOD == 0, "float sums must not be held wider");

/* A binary float of up to 16 bits. */
struct narrow {
    int bits;
    int mantissa_bits; /* p - 1 */
    int exponent_min;  /* emin */
    uint32_t max;      /* code of the largest finite value */
    uint32_t nan;
    double limit; /* what saturates or, as a power of two, becomes infinite */
};

/* As macros, because kernels must see constants. */
#define FLOAT16 ((struct narrow){16, 10, -14, 0x7BFF, 0x7E00, 65536.0})
#define BFLOAT16 ((struct narrow){16, 7, -126, 0x7F7F, 0x7FC0, 0x1p128})
#define FLOAT8_E4M3FN ((struct narrow){8, 3, -6, 0x7E, 0x7F, 448.0})
#define FLOAT8_E5M2 ((struct narrow){8, 2, -14, 0x7B, 0x7E, 65536.0})

static inline uint32_t
bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float
float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t
bits_of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double
double_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t
encode_double(double x, const struct narrow f)
{
    const uint64_t exponent_mask = UINT64_C(0x7FF) << 52;
    const uint64_t lowest = (uint64_t)(f.exponent_min + 1023) << 52;
    uint64_t sign = bits_of_double(x) >> 63;
    double size = double_of_bits(bits_of_double(x) & (UINT64_MAX >> 1));
    double finite = size < f.limit ? size : f.limit;
    double smallest = double_of_bits(lowest);
    double scale = finite > smallest ? finite : smallest;
    uint64_t exponent = bits_of_double(scale) & exponent_mask;
    uint64_t step = exponent + ((uint64_t)(52 - f.mantissa_bits) << 52);
    uint64_t steps = bits_of_double(finite + double_of_bits(step)) - step;
    uint64_t code = ((exponent - lowest) >> (52 - f.mantissa_bits)) + steps;

    code = x == x ? code : f.nan;
    return (uint32_t)(code | sign << (f.bits - 1));
}

/* The same in float32; bfloat16, whose exponents are float32's, has no room
 * for C. */
static inline uint32_t
encode_float(float x, const struct narrow f)
{
    const uint32_t exponent_mask = UINT32_C(0xFF) << 23;
    const uint32_t lowest = (uint32_t)(f.exponent_min + 127) << 23;
    const float limit = (float)f.limit;
    uint32_t sign = bits_of_float(x) >> 31;
    float size = float_of_bits(bits_of_float(x) & (UINT32_MAX >> 1));
    float finite = size < limit ? size : limit;
    float smallest = float_of_bits(lowest);
    float scale = finite > smallest ? finite : smallest;
    uint32_t exponent = bits_of_float(scale) & exponent_mask;
    uint32_t step = exponent + ((uint32_t)(23 - f.mantissa_bits) << 23);
    uint32_t steps = bits_of_float(finite + float_of_bits(step)) - step;
    uint32_t code = ((exponent - lowest) >> (23 - f.mantissa_bits)) + steps;

    code = x == x ? code : f.nan;
    return code | sign << (f.bits - 1);
}

/* bfloat16 is the upper half of float32, rounded as an integer. */
static inline uint32_t
encode_float_as_bfloat16(float x)
{
    uint32_t bits = bits_of_float(x);
    uint32_t code = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    uint32_t nan = (bits >> 16 & 0x8000) | BFLOAT16.nan;

    return x == x ? code : nan;
}

/* Exact. A subnormal's mantissa is put behind the smallest normal's leading
 * bit, which is then taken away. */
static inline float
decode_float(uint32_t code, const struct narrow f)
{
    const uint32_t rebias = (uint32_t)(126 + f.exponent_min) << 23;
    const uint32_t smallest = (uint32_t)(127 + f.exponent_min) << 23;
    const uint32_t one = UINT32_C(1) << f.mantissa_bits;
    uint32_t sign = code >> (f.bits - 1) << 31;
    uint32_t size = code & ((UINT32_C(1) << (f.bits - 1)) - 1);
    uint32_t shifted = size << (23 - f.mantissa_bits);
    float subnormal =
        float_of_bits(shifted + smallest) - float_of_bits(smallest);
    uint32_t bits = shifted + rebias;

    bits = size < one ? bits_of_float(subnormal) : bits;
    bits = size > f.max ? shifted | 0x7F800000 : bits;
    return float_of_bits(bits | sign);
}

DTX_CONVERT_KERNEL(float64_to_float32, dtx_f64, dtx_f32, from[i])
DTX_CONVERT_KERNEL(float64_to_float16, dtx_f64, dtx_u16,
                   encode_double(from[i], FLOAT16))
DTX_CONVERT_KERNEL(float64_to_bfloat16, dtx_f64, dtx_u16,
                   encode_double(from[i], BFLOAT16))
DTX_CONVERT_KERNEL(float64_to_e4m3fn, dtx_f64, uint8_t,
                   encode_double(from[i], FLOAT8_E4M3FN))
DTX_CONVERT_KERNEL(float64_to_e5m2, dtx_f64, uint8_t,
                   encode_double(from[i], FLOAT8_E5M2))

DTX_CONVERT_KERNEL(float32_to_float64, dtx_f32, dtx_f64, from[i])
DTX_CONVERT_KERNEL(float32_to_float16, dtx_f32, dtx_u16,
                   encode_float(from[i], FLOAT16))
DTX_CONVERT_KERNEL(float32_to_bfloat16, dtx_f32, dtx_u16,
                   encode_float_as_bfloat16(from[i]))
DTX_CONVERT_KERNEL(float32_to_e4m3fn, dtx_f32, uint8_t,
                   encode_float(from[i], FLOAT8_E4M3FN))
DTX_CONVERT_KERNEL(float32_to_e5m2, dtx_f32, uint8_t,
                   encode_float(from[i], FLOAT8_E5M2))

DTX_CONVERT_KERNEL(float16_to_float32, dtx_u16, dtx_f32,
                   decode_float(from[i], FLOAT16))
DTX_CONVERT_KERNEL(bfloat16_to_float32, dtx_u16, dtx_u32,
                   (uint32_t)from[i] << 16)
DTX_CONVERT_KERNEL(e4m3fn_to_float32, uint8_t, dtx_f32,
                   decode_float(from[i], FLOAT8_E4M3FN))
DTX_CONVERT_KERNEL(e5m2_to_float32, uint8_t, dtx_f32,
                   decode_float(from[i], FLOAT8_E5M2))

static dtx_convert_kernel *const to_float32[DTX_DTYPE_COUNT] = {
    [DTX_FLOAT16] = float16_to_float32,
    [DTX_BFLOAT16] = bfloat16_to_float32,
    [DTX_FLOAT8_E4M3FN] = e4m3fn_to_float32,
    [DTX_FLOAT8_E5M2] = e5m2_to_float32,
};

static dtx_convert_kernel *const from_float32[DTX_DTYPE_COUNT] = {
    [DTX_FLOAT64] = float32_to_float64,
    [DTX_FLOAT16] = float32_to_float16,
    [DTX_BFLOAT16] = float32_to_bfloat16,
    [DTX_FLOAT8_E4M3FN] = float32_to_e4m3fn,
    [DTX_FLOAT8_E5M2] = float32_to_e5m2,
};

static dtx_convert_kernel *const from_float64[DTX_DTYPE_COUNT] = {
    [DTX_FLOAT32] = float64_to_float32,
    [DTX_FLOAT16] = float64_to_float16,
    [DTX_BFLOAT16] = float64_to_bfloat16,
    [DTX_FLOAT8_E4M3FN] = float64_to_e4m3fn,
    [DTX_FLOAT8_E5M2] = float64_to_e5m2,
};

dtx_convert_kernel *
dtx_convert_to_float32(enum dtx_dtype from)
{
    return to_float32[from];
}

dtx_convert_kernel *
dtx_convert_from_float32(enum dtx_dtype to)
{
    return from_float32[to];
}

dtx_convert_kernel *
dtx_convert_from_float64(enum dtx_dtype to)
{
    return from_float64[to];
}
