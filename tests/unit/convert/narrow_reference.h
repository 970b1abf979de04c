/*
 * An independent model of the narrow floats: every code is decoded by its
 * definition, and rounding looks for the two neighbours of a value among all
 * codes. Slow, and exact.
 */
#ifndef TESTS_CONVERT_NARROW_REFERENCE_H
#define TESTS_CONVERT_NARROW_REFERENCE_H

#include <stdint.h>

#include <dtx/dtype.h>

struct narrow_reference {
    enum dtx_dtype dtype;
    int bits;
    int mantissa_bits;
    int bias;
    uint32_t max;   /* code of the largest finite value */
    double *values; /* [max + 2] by code; the last is one step past max */
};

enum { NARROW_COUNT = 4 };

/* Makes the model of one of the four types. */
struct narrow_reference narrow_reference_make(int which);
void narrow_reference_free(struct narrow_reference *r);

/* The value of a code; NaN and infinity included. */
double narrow_decode(const struct narrow_reference *r, uint32_t code);
/* The code of a value; of a NaN any NaN's. */
uint32_t narrow_encode(const struct narrow_reference *r, double value);
int narrow_is_nan(const struct narrow_reference *r, uint32_t code);

#endif
