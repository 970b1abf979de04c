/*
 * Conversions between element types.
 *
 * Float to float rounds to nearest even once, whatever the widths; NaN stays
 * NaN, overflow goes to infinity (float8_e4m3fn has none: it saturates).
 * Integer to integer and integer to float only where every value fits. bool
 * counts as an integer of 0 and 1; complex to complex converts both parts.
 */
#ifndef DTX_LAYOUT_CONVERT_H
#define DTX_LAYOUT_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/dtype.h>

/* True where values of one dtype can become another at all: not for raw
 * types, complex to real, or float to integer. */
bool dtx_convert_is_possible(enum dtx_dtype from, enum dtx_dtype to);

/*
 * Converts count elements. in and out may be the same buffer; else they don't
 * overlap. Both are little-endian and need no alignment.
 *
 * Returns -1 when all fit, else the index of the first element whose value
 * doesn't; what is in out is then undefined, but in one buffer that element is
 * still as it was.
 */
int64_t dtx_convert(enum dtx_dtype from, enum dtx_dtype to, const void *in,
                    void *out, size_t count);

/* The value of one element as text, for messages. text has room for 64. */
void dtx_convert_describe(enum dtx_dtype dtype, const void *element,
                          char *text);

#endif
