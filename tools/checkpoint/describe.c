/* The value of an element in words, for messages. */
#include "element.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The fields of the floats that C doesn't know. */
static double
small_float(uint32_t bits, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint32_t exponent = (bits >> mantissa_bits) & ((1U << exponent_bits) - 1U);
    uint32_t mantissa = bits & ((1U << mantissa_bits) - 1U);
    uint32_t sign = bits >> (exponent_bits + mantissa_bits);
    double value;

    if (exponent == 0) {
        value = ldexp((double)mantissa, 1 - bias - mantissa_bits);
    } else {
        value = ldexp((double)(mantissa | 1U << mantissa_bits),
                      (int)exponent - bias - mantissa_bits);
    }
    return sign != 0 ? -value : value;
}

/* The number of a floating-point type; infinities and NaNs of the narrow
 * types are left to the bits. */
static bool
float_value(enum dtx_dtype dtype, uint64_t bits, double *value_out)
{
    uint32_t low = (uint32_t)bits;
    float single;

    if (dtype == DTX_FLOAT64) {
        memcpy(value_out, &bits, sizeof(*value_out));
    } else if (dtype == DTX_FLOAT32 || dtype == DTX_BFLOAT16) {
        low = dtype == DTX_BFLOAT16 ? low << 16 : low;
        memcpy(&single, &low, sizeof(single));
        *value_out = (double)single;
    } else if (dtype == DTX_FLOAT16 && (low & 0x7c00) != 0x7c00) {
        *value_out = small_float(low, 5, 10);
    } else if (dtype == DTX_FLOAT8_E5M2 && (low & 0x7c) != 0x7c) {
        *value_out = small_float(low, 5, 2);
    } else if (dtype == DTX_FLOAT8_E4M3FN && (low & 0x7f) != 0x7f) {
        *value_out = small_float(low, 4, 3);
    } else {
        return false;
    }
    return true;
}

char *
element_describe(enum dtx_dtype dtype, const void *element, char *text)
{
    size_t size = dtx_dtype_size(dtype);
    uint64_t words[2] = {0, 0};
    double value;

    memcpy(words, element, size);
    if (size > sizeof(words[0])) {
        snprintf(text, ELEMENT_TEXT, "0x%016" PRIx64 "%016" PRIx64, words[1],
                 words[0]);
    } else if (float_value(dtype, words[0], &value)) {
        snprintf(text, ELEMENT_TEXT, "0x%0*" PRIx64 " (%.9g)", (int)size * 2,
                 words[0], value);
    } else {
        snprintf(text, ELEMENT_TEXT, "0x%0*" PRIx64, (int)size * 2, words[0]);
    }
    return text;
}
