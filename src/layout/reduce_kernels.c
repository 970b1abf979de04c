#include "layout/reduce_kernels.h"

#include "layout/convert_kernels.h"
#include "util/math.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): types can't stand in them */

/* a is the accumulator, b the term. */
#define KERNEL(name, element, expression)                                      \
    static int64_t name(void *restrict accumulators,                           \
                        const void *restrict terms, size_t count)              \
    {                                                                          \
        element *into = accumulators;                                          \
        const element *from = terms;                                           \
                                                                               \
        for (size_t i = 0; i < count; i++) {                                   \
            element a = into[i];                                               \
            element b = from[i];                                               \
                                                                               \
            into[i] = (expression);                                            \
        }                                                                      \
        return -1;                                                             \
    }

#define CHECKED_KERNEL(name, element, overflows)                               \
    static int64_t name(void *restrict accumulators,                           \
                        const void *restrict terms, size_t count)              \
    {                                                                          \
        element *into = accumulators;                                          \
        const element *from = terms;                                           \
        int64_t first_bad = -1;                                                \
                                                                               \
        for (size_t i = 0; i < count; i++) {                                   \
            element result;                                                    \
                                                                               \
            if (overflows(into[i], from[i], &result) && first_bad < 0) {       \
                first_bad = (int64_t)i;                                        \
            }                                                                  \
            into[i] = result;                                                  \
        }                                                                      \
        return first_bad;                                                      \
    }

/* Element 2i is a real part and 2i + 1 its imaginary part. */
#define COMPLEX_KERNELS(name, element)                                         \
    static int64_t name##_sum(void *restrict accumulators,                     \
                              const void *restrict terms, size_t count)        \
    {                                                                          \
        element *into = accumulators;                                          \
        const element *from = terms;                                           \
                                                                               \
        for (size_t i = 0; i < 2 * count; i++) {                               \
            into[i] += from[i];                                                \
        }                                                                      \
        return -1;                                                             \
    }                                                                          \
                                                                               \
    static int64_t name##_product(void *restrict accumulators,                 \
                                  const void *restrict terms, size_t count)    \
    {                                                                          \
        element *into = accumulators;                                          \
        const element *from = terms;                                           \
                                                                               \
        for (size_t i = 0; i < 2 * count; i += 2) {                            \
            element real = into[i] * from[i] - into[i + 1] * from[i + 1];      \
            element imaginary = into[i] * from[i + 1] + into[i + 1] * from[i]; \
                                                                               \
            into[i] = real;                                                    \
            into[i + 1] = imaginary;                                           \
        }                                                                      \
        return -1;                                                             \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

KERNEL(float32_sum, dtx_f32, a + b)
KERNEL(float32_product, dtx_f32, (a * b))
KERNEL(float32_min, dtx_f32, a <= b || a != a ? a : b)
KERNEL(float32_max, dtx_f32, a >= b || a != a ? a : b)

KERNEL(float64_sum, dtx_f64, a + b)
KERNEL(float64_product, dtx_f64, (a * b))
KERNEL(float64_min, dtx_f64, a <= b || a != a ? a : b)
KERNEL(float64_max, dtx_f64, a >= b || a != a ? a : b)

CHECKED_KERNEL(int64_sum, dtx_i64, dtx_add_overflows)
CHECKED_KERNEL(int64_product, dtx_i64, dtx_mul_overflows)
KERNEL(int64_min, dtx_i64, a <= b ? a : b)
KERNEL(int64_max, dtx_i64, a >= b ? a : b)

CHECKED_KERNEL(uint64_sum, dtx_u64, dtx_add_overflows)
CHECKED_KERNEL(uint64_product, dtx_u64, dtx_mul_overflows)
KERNEL(uint64_min, dtx_u64, a <= b ? a : b)
KERNEL(uint64_max, dtx_u64, a >= b ? a : b)

COMPLEX_KERNELS(complex64, dtx_f32)
COMPLEX_KERNELS(complex128, dtx_f64)

static dtx_reduce_kernel *const kernels[DTX_DTYPE_COUNT][DTX_OP_COUNT] = {
    [DTX_FLOAT32] = {[DTX_SUM] = float32_sum,
                     [DTX_AVG] = float32_sum,
                     [DTX_MIN] = float32_min,
                     [DTX_MAX] = float32_max,
                     [DTX_PRODUCT] = float32_product},
    [DTX_FLOAT64] = {[DTX_SUM] = float64_sum,
                     [DTX_AVG] = float64_sum,
                     [DTX_MIN] = float64_min,
                     [DTX_MAX] = float64_max,
                     [DTX_PRODUCT] = float64_product},
    [DTX_INT64] = {[DTX_SUM] = int64_sum,
                   [DTX_MIN] = int64_min,
                   [DTX_MAX] = int64_max,
                   [DTX_PRODUCT] = int64_product},
    [DTX_UINT64] = {[DTX_SUM] = uint64_sum,
                    [DTX_MIN] = uint64_min,
                    [DTX_MAX] = uint64_max,
                    [DTX_PRODUCT] = uint64_product},
    [DTX_COMPLEX64] = {[DTX_SUM] = complex64_sum,
                       [DTX_AVG] = complex64_sum,
                       [DTX_PRODUCT] = complex64_product},
    [DTX_COMPLEX128] = {[DTX_SUM] = complex128_sum,
                        [DTX_AVG] = complex128_sum,
                        [DTX_PRODUCT] = complex128_product},
};

dtx_reduce_kernel *
dtx_reduce_find_kernel(enum dtx_op op, enum dtx_dtype accumulator)
{
    return kernels[accumulator][op];
}
