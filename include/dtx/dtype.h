/*
 * Element types.
 *
 * A dtx_type says what one element is. Types that dtx knows have a dtype;
 * all others (compound, enum, opaque, fixed strings) are DTX_RAW, move bit
 * for bit, and raw_index says which of the catalog's raw types it is.
 *
 * Functions are local unless they say that they are collective. None can fail;
 * names are static.
 */
#ifndef DTX_DTYPE_H
#define DTX_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dtx_dtype {
    DTX_RAW = 0,
    DTX_FLOAT64,
    DTX_FLOAT32,
    DTX_FLOAT16,
    DTX_BFLOAT16,
    DTX_FLOAT8_E4M3FN,
    DTX_FLOAT8_E5M2,
    DTX_INT64,
    DTX_INT32,
    DTX_INT16,
    DTX_INT8,
    DTX_UINT64,
    DTX_UINT32,
    DTX_UINT16,
    DTX_UINT8,
    DTX_BOOL,
    DTX_COMPLEX64,
    DTX_COMPLEX128,
    DTX_DTYPE_COUNT
};

struct dtx_type {
    enum dtx_dtype dtype;
    int raw_index;     /* index into the catalog's raw types; 0 if not raw */
    size_t size_bytes; /* of one element */
};

/* The name as in layout files ("bfloat16"); "raw" for DTX_RAW. */
DTX_API const char *dtx_dtype_name(enum dtx_dtype dtype);

/* Bytes of one element; 0 for DTX_RAW. */
DTX_API size_t dtx_dtype_size(enum dtx_dtype dtype);

/* Finds a dtype by its long or short name ("bf16"). False if there is none. */
DTX_API bool dtx_dtype_find(const char *name, enum dtx_dtype *dtype_out);

/* The type of a known dtype. */
DTX_API struct dtx_type dtx_type_of(enum dtx_dtype dtype);

/* True where both are the same type, raw ones included. */
DTX_API bool dtx_type_equal(struct dtx_type a, struct dtx_type b);

#ifdef __cplusplus
}
#endif
#endif
