/*
 * The loops that conversions are made of; see convert.h.
 *
 * A kernel converts count elements and can't fail. in and out don't overlap
 * and need no alignment. Each loop is written without branches, so that the
 * compiler turns it into vector code for any machine.
 *
 * Floats meet in float32 or float64, integers in 64 bits: two's complement,
 * of which only uint64 doesn't fit int64.
 */
#ifndef DTX_LAYOUT_CONVERT_KERNELS_H
#define DTX_LAYOUT_CONVERT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/dtype.h>

#include "util/vector.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "conversions expect a little-endian machine"
#endif

/* Unaligned elements of buffers that were made as bytes. */
#define DTX_ELEMENT __attribute__((aligned(1), may_alias))
typedef double DTX_ELEMENT dtx_f64;
typedef float DTX_ELEMENT dtx_f32;
typedef int64_t DTX_ELEMENT dtx_i64;
typedef int32_t DTX_ELEMENT dtx_i32;
typedef int16_t DTX_ELEMENT dtx_i16;
typedef uint64_t DTX_ELEMENT dtx_u64;
typedef uint32_t DTX_ELEMENT dtx_u32;
typedef uint16_t DTX_ELEMENT dtx_u16;

/* NOLINTBEGIN(bugprone-macro-parentheses): types can't stand in them */
#define DTX_CONVERT_KERNEL(name, in_type, out_type, expression)                \
    DTX_VECTOR static void name(const void *restrict in, void *restrict out,   \
                                size_t count)                                  \
    {                                                                          \
        const in_type *from = in;                                              \
        out_type *to = out;                                                    \
                                                                               \
        for (size_t i = 0; i < count; i++) {                                   \
            to[i] = (out_type)(expression);                                    \
        }                                                                      \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

typedef void dtx_convert_kernel(const void *restrict in, void *restrict out,
                                size_t count);

/*
 * Float kernels; NULL where there is none: from float32 and float64 to all
 * other floats, and to float32 from floats of 16 bits and fewer.
 */
dtx_convert_kernel *dtx_convert_to_float32(enum dtx_dtype from);
dtx_convert_kernel *dtx_convert_from_float32(enum dtx_dtype to);
dtx_convert_kernel *dtx_convert_from_float64(enum dtx_dtype to);

/* Integer and bool kernels, to and from 64 bits; NULL for floats. Leaving 64
 * bits drops what doesn't fit. */
dtx_convert_kernel *dtx_convert_to_wide(enum dtx_dtype from);
dtx_convert_kernel *dtx_convert_from_wide(enum dtx_dtype to);

/*
 * The index of the first wide integer that `to`, an integer or bool, can't
 * hold, or -1. is_unsigned: the values came from uint64.
 */
int64_t dtx_convert_find_outside(enum dtx_dtype to, bool is_unsigned,
                                 const void *wide, size_t count);

/* Wide integers to float64, in place; the index of the first that `to`, a
 * float, can't hold exactly, or -1. */
int64_t dtx_convert_wide_to_float64(enum dtx_dtype to, bool is_unsigned,
                                    void *wide, size_t count);

#endif
