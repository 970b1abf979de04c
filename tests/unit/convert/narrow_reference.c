#include "narrow_reference.h"

#include <math.h>
#include <stdlib.h>

static const struct narrow_reference types[NARROW_COUNT] = {
    {DTX_FLOAT16, 16, 10, 15, 0x7BFF, NULL},
    {DTX_BFLOAT16, 16, 7, 127, 0x7F7F, NULL},
    {DTX_FLOAT8_E4M3FN, 8, 3, 7, 0x7E, NULL},
    {DTX_FLOAT8_E5M2, 8, 2, 15, 0x7B, NULL},
};

static double
finite_value(const struct narrow_reference *r, uint32_t code)
{
    uint32_t exponent = code >> r->mantissa_bits;
    uint32_t mantissa = code & ((1u << r->mantissa_bits) - 1);

    if (exponent == 0) {
        return ldexp(mantissa, 1 - r->bias - r->mantissa_bits);
    }
    return ldexp(mantissa + (1u << r->mantissa_bits),
                 (int)exponent - r->bias - r->mantissa_bits);
}

struct narrow_reference
narrow_reference_make(int which)
{
    struct narrow_reference r = types[which];

    r.values = malloc((r.max + 2) * sizeof(double));
    if (r.values == NULL) {
        abort();
    }
    for (uint32_t code = 0; code <= r.max + 1; code++) {
        r.values[code] = finite_value(&r, code);
    }
    return r;
}

void
narrow_reference_free(struct narrow_reference *r)
{
    free(r->values);
}

static uint32_t
size_of(const struct narrow_reference *r, uint32_t code)
{
    return code & ((1u << (r->bits - 1)) - 1);
}

int
narrow_is_nan(const struct narrow_reference *r, uint32_t code)
{
    uint32_t size = size_of(r, code);

    return r->dtype == DTX_FLOAT8_E4M3FN ? size == 0x7F : size > r->max + 1;
}

double
narrow_decode(const struct narrow_reference *r, uint32_t code)
{
    uint32_t size = size_of(r, code);
    double value;

    if (narrow_is_nan(r, code)) {
        value = NAN;
    } else if (size > r->max) {
        value = INFINITY;
    } else {
        value = r->values[size];
    }
    return size == code ? value : copysign(value, -1);
}

uint32_t
narrow_encode(const struct narrow_reference *r, double value)
{
    uint32_t sign = signbit(value) ? 1u << (r->bits - 1) : 0;
    uint32_t low = 0, high = r->max + 1;
    double size = fabs(value);
    double middle;

    if (isnan(value)) {
        return sign | (r->dtype == DTX_FLOAT8_E4M3FN ? 0x7Fu : r->max + 2);
    }
    if (size >= r->values[high]) {
        low = high;
    }
    while (high - low > 1) { /* values[low] <= size < values[high] */
        uint32_t between = (low + high) / 2;

        if (r->values[between] <= size) {
            low = between;
        } else {
            high = between;
        }
    }
    middle = (r->values[low] + r->values[high]) / 2; /* exact */
    if (low < high && (size > middle || (size == middle && low % 2 == 1))) {
        low = high;
    }
    if (low > r->max && r->dtype == DTX_FLOAT8_E4M3FN) {
        low = r->max;
    }
    return sign | low;
}
