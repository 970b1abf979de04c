/*
 * Float kernels; how they round is float_code.h.
 */
#include <float.h>

#include "layout/convert_kernels.h"
#include "layout/float_code.h"

_Static_assert(FLT_EVAL_METHOD == 0, "float sums must not be held wider");

DTX_CONVERT_KERNEL(float64_to_float32, dtx_f64, dtx_f32, from[i])
DTX_CONVERT_KERNEL(float64_to_float16, dtx_f64, dtx_u16,
                   dtx_narrow_encode_double(from[i], dtx_narrow_float16()))
DTX_CONVERT_KERNEL(float64_to_bfloat16, dtx_f64, dtx_u16,
                   dtx_narrow_encode_double(from[i], dtx_narrow_bfloat16()))
DTX_CONVERT_KERNEL(float64_to_e4m3fn, dtx_f64, uint8_t,
                   dtx_narrow_encode_double(from[i], dtx_narrow_e4m3fn()))
DTX_CONVERT_KERNEL(float64_to_e5m2, dtx_f64, uint8_t,
                   dtx_narrow_encode_double(from[i], dtx_narrow_e5m2()))

DTX_CONVERT_KERNEL(float32_to_float64, dtx_f32, dtx_f64, from[i])
DTX_CONVERT_KERNEL(float32_to_float16, dtx_f32, dtx_u16,
                   dtx_narrow_encode_float(from[i], dtx_narrow_float16()))
DTX_CONVERT_KERNEL(float32_to_bfloat16, dtx_f32, dtx_u16,
                   dtx_bfloat16_encode_float(from[i]))
DTX_CONVERT_KERNEL(float32_to_e4m3fn, dtx_f32, uint8_t,
                   dtx_narrow_encode_float(from[i], dtx_narrow_e4m3fn()))
DTX_CONVERT_KERNEL(float32_to_e5m2, dtx_f32, uint8_t,
                   dtx_narrow_encode_float(from[i], dtx_narrow_e5m2()))

DTX_CONVERT_KERNEL(float16_to_float32, dtx_u16, dtx_f32,
                   dtx_narrow_decode(from[i], dtx_narrow_float16()))
DTX_CONVERT_KERNEL(bfloat16_to_float32, dtx_u16, dtx_u32,
                   (uint32_t)from[i] << 16)
DTX_CONVERT_KERNEL(e4m3fn_to_float32, uint8_t, dtx_f32,
                   dtx_narrow_decode(from[i], dtx_narrow_e4m3fn()))
DTX_CONVERT_KERNEL(e5m2_to_float32, uint8_t, dtx_f32,
                   dtx_narrow_decode(from[i], dtx_narrow_e5m2()))

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
