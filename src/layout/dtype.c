#include <dtx/dtype.h>

#include <string.h>

struct dtype_row {
    const char *name;
    const char *short_name; /* NULL: none */
    size_t size_bytes;
};

static const struct dtype_row rows[DTX_DTYPE_COUNT] = {
    [DTX_RAW] = {"raw", NULL, 0},
    [DTX_FLOAT64] = {"float64", "f64", 8},
    [DTX_FLOAT32] = {"float32", "f32", 4},
    [DTX_FLOAT16] = {"float16", "f16", 2},
    [DTX_BFLOAT16] = {"bfloat16", "bf16", 2},
    [DTX_FLOAT8_E4M3FN] = {"float8_e4m3fn", "f8_e4m3", 1},
    [DTX_FLOAT8_E5M2] = {"float8_e5m2", "f8_e5m2", 1},
    [DTX_INT64] = {"int64", "i64", 8},
    [DTX_INT32] = {"int32", "i32", 4},
    [DTX_INT16] = {"int16", "i16", 2},
    [DTX_INT8] = {"int8", "i8", 1},
    [DTX_UINT64] = {"uint64", "u64", 8},
    [DTX_UINT32] = {"uint32", "u32", 4},
    [DTX_UINT16] = {"uint16", "u16", 2},
    [DTX_UINT8] = {"uint8", "u8", 1},
    [DTX_BOOL] = {"bool", NULL, 1},
    [DTX_COMPLEX64] = {"complex64", NULL, 8},
    [DTX_COMPLEX128] = {"complex128", NULL, 16},
};

const char *
dtx_dtype_name(enum dtx_dtype dtype)
{
    return rows[dtype].name;
}

size_t
dtx_dtype_size(enum dtx_dtype dtype)
{
    return rows[dtype].size_bytes;
}

bool
dtx_dtype_find(const char *name, enum dtx_dtype *dtype_out)
{
    int i;

    for (i = DTX_RAW + 1; i < DTX_DTYPE_COUNT; i++) {
        if (strcmp(rows[i].name, name) == 0 ||
            (rows[i].short_name != NULL &&
             strcmp(rows[i].short_name, name) == 0)) {
            *dtype_out = (enum dtx_dtype)i;
            return true;
        }
    }
    return false;
}

struct dtx_type
dtx_type_of(enum dtx_dtype dtype)
{
    struct dtx_type type = {dtype, 0, rows[dtype].size_bytes};

    return type;
}

bool
dtx_type_equal(struct dtx_type a, struct dtx_type b)
{
    return a.dtype == b.dtype && a.size_bytes == b.size_bytes &&
           (a.dtype != DTX_RAW || a.raw_index == b.raw_index);
}
