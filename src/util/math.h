/*
 * Checked arithmetic on sizes. Functions return true on overflow, like the
 * compiler's builtins, and set the result only without it.
 */
#ifndef DTX_UTIL_MATH_H
#define DTX_UTIL_MATH_H

#include <stdbool.h>
#include <stdint.h>

#define dtx_add_overflows(a, b, out) __builtin_add_overflow(a, b, out)
#define dtx_mul_overflows(a, b, out) __builtin_mul_overflow(a, b, out)

/* a / b rounded up; a >= 0, b > 0. */
static inline int64_t
dtx_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static inline int64_t
dtx_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t
dtx_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
