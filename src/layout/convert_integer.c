/*
 * Integer kernels, and which values fit where.
 */
#include "layout/convert_kernels.h"
#include "layout/number_range.h"

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

/* One row an integer type. */
struct passage {
    dtx_convert_kernel *to_wide;
    dtx_convert_kernel *from_wide;
};

static const struct passage passages[DTX_DTYPE_COUNT] = {
    [DTX_INT64] = {widen_64, widen_64},
    [DTX_INT32] = {widen_int32, narrow_to_32},
    [DTX_INT16] = {widen_int16, narrow_to_16},
    [DTX_INT8] = {widen_int8, narrow_to_8},
    [DTX_UINT64] = {widen_64, widen_64},
    [DTX_UINT32] = {widen_uint32, narrow_to_32},
    [DTX_UINT16] = {widen_uint16, narrow_to_16},
    [DTX_UINT8] = {widen_uint8, narrow_to_8},
    [DTX_BOOL] = {widen_bool, narrow_to_8},
};

dtx_convert_kernel *
dtx_convert_to_wide(enum dtx_dtype from)
{
    return passages[from].to_wide;
}

dtx_convert_kernel *
dtx_convert_from_wide(enum dtx_dtype to)
{
    return passages[to].from_wide;
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
    struct dtx_range r = dtx_range_of(to);

    if (is_unsigned) {
        return find_above(wide, count, r.max);
    }
    return find_beyond(wide, count, r.min,
                       r.max < INT64_MAX ? (int64_t)r.max : INT64_MAX);
}

int64_t
dtx_convert_wide_to_float64(enum dtx_dtype to, bool is_unsigned, void *wide,
                            size_t count)
{
    struct dtx_range r = dtx_range_of(to);
    uint64_t *values = wide;
    dtx_f64 *floats = wide;
    size_t i;

    for (i = 0; i < count; i++) {
        bool is_negative = !is_unsigned && values[i] >> 63 != 0;
        uint64_t size = is_negative ? 0 - values[i] : values[i];

        if (!dtx_range_holds_as_float(r, size)) {
            return (int64_t)i;
        }
        floats[i] = is_negative ? -(double)size : (double)size;
    }
    return -1;
}
