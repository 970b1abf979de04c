/*
 * Integer kernels, and which values fit where.
 */
#include "layout/convert_kernels.h"

DTX_CONVERT_KERNEL(widen_64, dtx_u64, dtx_u64, from[i])
DTX_CONVERT_KERNEL(widen_int32, dtx_i32, dtx_i64, from[i])
DTX_CONVERT_KERNEL(widen_int16, dtx_i16, dtx_i64, from[i])
DTX_CONVERT_KERNEL(widen_int8, int8_t, dtx_i64, from[i])
DTX_CONVERT_KERNEL(widen_uint32, dtx_u32, dtx_u64, from[i])
DTX_CONVERT_KERNEL(widen_uint16, dtx_u16, dtx_u64, from[i])
DTX_CONVERT_KERNEL(widen_uint8, uint8_t, dtx_u64, from[i])
DTX_CONVERT_KERNEL(widen_bool, uint8_t, dtx_u64, from[i] != 0)

DTX_CONVERT_KERNEL(narrow_to_32, dtx_u64, dtx_u32, from[i])
DTX_CONVERT_KERNEL(narrow_to_16, dtx_u64, dtx_u16, from[i])
DTX_CONVERT_KERNEL(narrow_to_8, dtx_u64, uint8_t, from[i])

/* One row an integer or float type. */
struct fitting {
    dtx_convert_kernel *to_wide; /* integers and bool only */
    dtx_convert_kernel *from_wide;
    int64_t min;
    uint64_t max;
    int digits; /* floats only: significant bits */
};

static const struct fitting fittings[DTX_DTYPE_COUNT] = {
    [DTX_INT64] = {widen_64, widen_64, INT64_MIN, INT64_MAX, 0},
    [DTX_INT32] = {widen_int32, narrow_to_32, INT32_MIN, INT32_MAX, 0},
    [DTX_INT16] = {widen_int16, narrow_to_16, INT16_MIN, INT16_MAX, 0},
    [DTX_INT8] = {widen_int8, narrow_to_8, INT8_MIN, INT8_MAX, 0},
    [DTX_UINT64] = {widen_64, widen_64, 0, UINT64_MAX, 0},
    [DTX_UINT32] = {widen_uint32, narrow_to_32, 0, UINT32_MAX, 0},
    [DTX_UINT16] = {widen_uint16, narrow_to_16, 0, UINT16_MAX, 0},
    [DTX_UINT8] = {widen_uint8, narrow_to_8, 0, UINT8_MAX, 0},
    [DTX_BOOL] = {widen_bool, narrow_to_8, 0, 1, 0},
    [DTX_FLOAT64] = {NULL, NULL, 0, UINT64_MAX, 53},
    [DTX_FLOAT32] = {NULL, NULL, 0, UINT64_MAX, 24},
    [DTX_FLOAT16] = {NULL, NULL, 0, 65504, 11},
    [DTX_BFLOAT16] = {NULL, NULL, 0, UINT64_MAX, 8},
    [DTX_FLOAT8_E4M3FN] = {NULL, NULL, 0, 448, 4},
    [DTX_FLOAT8_E5M2] = {NULL, NULL, 0, 57344, 3},
};

dtx_convert_kernel *
dtx_convert_to_wide(enum dtx_dtype from)
{
    return fittings[from].to_wide;
}

dtx_convert_kernel *
dtx_convert_from_wide(enum dtx_dtype to)
{
    return fittings[to].from_wide;
}

static int64_t
find_above(const uint64_t *wide, size_t count, uint64_t max)
{
    unsigned bad = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        bad |= wide[i] > max;
    }
    if (bad == 0) {
        return -1;
    }
    for (i = 0; wide[i] <= max; i++) {
    }
    return (int64_t)i;
}

static int64_t
find_beyond(const int64_t *wide, size_t count, int64_t min, int64_t max)
{
    unsigned bad = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        bad |= (unsigned)(wide[i] < min) | (unsigned)(wide[i] > max);
    }
    if (bad == 0) {
        return -1;
    }
    for (i = 0; wide[i] >= min && wide[i] <= max; i++) {
    }
    return (int64_t)i;
}

int64_t
dtx_convert_find_outside(enum dtx_dtype to, bool is_unsigned, const void *wide,
                         size_t count)
{
    const struct fitting *f = &fittings[to];

    if (is_unsigned) {
        return find_above(wide, count, f->max);
    }
    return find_beyond(wide, count, f->min,
                       f->max < INT64_MAX ? (int64_t)f->max : INT64_MAX);
}

/* A float of p significant bits holds those integers, up to its largest, that
 * are below 2^p times their lowest set bit. */
static inline bool
holds(const struct fitting *f, uint64_t size)
{
    uint64_t lowest_bit = size & (0 - size);

    return size <= f->max && size >> f->digits <= lowest_bit - 1;
}

int64_t
dtx_convert_wide_to_float64(enum dtx_dtype to, bool is_unsigned, void *wide,
                            size_t count)
{
    const struct fitting *f = &fittings[to];
    uint64_t *values = wide;
    dtx_f64 *floats = wide;
    size_t i;

    for (i = 0; i < count; i++) {
        bool is_negative = !is_unsigned && values[i] >> 63 != 0;
        uint64_t size = is_negative ? 0 - values[i] : values[i];

        if (!holds(f, size)) {
            return (int64_t)i;
        }
        floats[i] = is_negative ? -(double)size : (double)size;
    }
    return -1;
}
