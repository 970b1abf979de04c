#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "layout/convert.h"
#include "narrow_reference.h"
#include "support/random.h"

enum { RANDOM_COUNT = 300000 };

static uint32_t
element_code(const struct narrow_reference *r, const void *element)
{
    uint8_t byte;
    uint16_t half;

    if (r->bits == 8) {
        memcpy(&byte, element, sizeof byte);
        return byte;
    }
    memcpy(&half, element, sizeof half);
    return half;
}

static void
element_set(const struct narrow_reference *r, uint32_t code, void *element)
{
    uint8_t byte = (uint8_t)code;
    uint16_t half = (uint16_t)code;

    memcpy(element, r->bits == 8 ? (void *)&byte : (void *)&half,
           (size_t)r->bits / 8);
}

static void
expect_code(const struct narrow_reference *r, const char *from, double value,
            const void *element)
{
    uint32_t code = element_code(r, element);
    uint32_t expected = narrow_encode(r, value);
    uint32_t sign = 1u << (r->bits - 1);

    if (isnan(value)) {
        cr_assert(narrow_is_nan(r, code) && (code & sign) == (expected & sign),
                  "%s NaN became %#x in %s", from, code,
                  dtx_dtype_name(r->dtype));
        return;
    }
    cr_assert_eq(code, expected, "%s %a became %#x for %#x in %s", from, value,
                 code, expected, dtx_dtype_name(r->dtype));
}

/* One value from float64 and, where it is one, from float32. */
static void
expect_value(const struct narrow_reference *r, double value)
{
    float single = (float)value;
    uint16_t element;

    cr_assert_eq(dtx_convert(DTX_FLOAT64, r->dtype, &value, &element, 1), -1);
    expect_code(r, "float64", value, &element);
    if (isnan(value) || (double)single == value) {
        cr_assert_eq(dtx_convert(DTX_FLOAT32, r->dtype, &single, &element, 1),
                     -1);
        expect_code(r, "float32", value, &element);
    }
}

/* What lies at and just beside a value, in both widths and signs. */
static void
expect_around(const struct narrow_reference *r, double value)
{
    float single = (float)value;
    double values[] = {value, nextafter(value, INFINITY), nextafter(value, 0),
                       nextafterf(single, INFINITY), nextafterf(single, 0)};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        expect_value(r, values[i]);
        expect_value(r, -values[i]);
    }
}

Test(convert_float, every_narrow_code_widens_exactly)
{
    for (int which = 0; which < NARROW_COUNT; which++) {
        struct narrow_reference r = narrow_reference_make(which);

        for (uint32_t code = 0; code < 1u << r.bits; code++) {
            double expected = narrow_decode(&r, code);
            uint16_t element;
            double wide;
            float single;

            element_set(&r, code, &element);
            dtx_convert(r.dtype, DTX_FLOAT64, &element, &wide, 1);
            dtx_convert(r.dtype, DTX_FLOAT32, &element, &single, 1);
            cr_assert_eq(!!signbit(wide), !!signbit(expected));
            cr_assert_eq(!!signbit(single), !!signbit(expected));
            cr_assert((isnan(wide) && isnan(expected)) || wide == expected,
                      "%s %#x is %a", dtx_dtype_name(r.dtype), code, wide);
            cr_assert((isnan(single) && isnan(wide)) || single == wide);
        }
        narrow_reference_free(&r);
    }
}

Test(convert_float, every_narrow_code_comes_back)
{
    for (int which = 0; which < NARROW_COUNT; which++) {
        struct narrow_reference r = narrow_reference_make(which);

        for (uint32_t code = 0; code < 1u << r.bits; code++) {
            bool is_infinite = isinf(narrow_decode(&r, code));

            expect_value(&r, narrow_decode(&r, code));
            cr_assert(!is_infinite || r.dtype != DTX_FLOAT8_E4M3FN);
        }
        narrow_reference_free(&r);
    }
}

Test(convert_float, every_narrow_code_becomes_every_other_narrow_type)
{
    for (int from = 0; from < NARROW_COUNT; from++) {
        struct narrow_reference a = narrow_reference_make(from);

        for (int to = 0; to < NARROW_COUNT; to++) {
            struct narrow_reference b = narrow_reference_make(to);

            for (uint32_t code = 0; from != to && code < 1u << a.bits; code++) {
                uint16_t element, converted;

                element_set(&a, code, &element);
                dtx_convert(a.dtype, b.dtype, &element, &converted, 1);
                expect_code(&b, dtx_dtype_name(a.dtype),
                            narrow_decode(&a, code), &converted);
            }
            narrow_reference_free(&b);
        }
        narrow_reference_free(&a);
    }
}

Test(convert_float, ties_and_what_is_beside_them_round_to_nearest_even)
{
    for (int which = 0; which < NARROW_COUNT; which++) {
        struct narrow_reference r = narrow_reference_make(which);

        for (uint32_t code = 0; code <= r.max; code++) {
            expect_around(&r, r.values[code]);
            expect_around(&r, (r.values[code] + r.values[code + 1]) / 2);
        }
        expect_around(&r, r.values[r.max + 1]);
        narrow_reference_free(&r);
    }
}

Test(convert_float, the_ends_of_wide_floats_round_right)
{
    static const double ends[] = {
        0,   DBL_MIN, 0x1p-1074, DBL_MAX, FLT_MIN, 0x1p-149, FLT_MAX, 0x1p128,
        448, 464,     480,       65504,   65519,   65520,    61440,   57344};

    for (int which = 0; which < NARROW_COUNT; which++) {
        struct narrow_reference r = narrow_reference_make(which);

        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            expect_around(&r, ends[i]);
        }
        expect_value(&r, INFINITY);
        expect_value(&r, -INFINITY);
        expect_value(&r, NAN);
        expect_value(&r, -NAN);
        narrow_reference_free(&r);
    }
}

Test(convert_float, random_patterns_round_right)
{
    struct random random = random_begin();

    for (int which = 0; which < NARROW_COUNT; which++) {
        struct narrow_reference r = narrow_reference_make(which);

        for (int i = 0; i < RANDOM_COUNT; i++) {
            uint64_t bits = random_next(&random);
            uint32_t half = (uint32_t)bits;
            double wide, near;
            float single;

            memcpy(&wide, &bits, sizeof wide);
            memcpy(&single, &half, sizeof single);
            near = ldexp(1 + (double)(bits >> 12) * 0x1p-52,
                         (int)random_below(&random, 60) - 36);
            expect_value(&r, wide);
            expect_value(&r, single);
            expect_value(&r, near);
        }
        narrow_reference_free(&r);
    }
}

/* Distances in long double, whose 64 bits hold the difference of a float64
 * and its neighbours in float32 exactly. */
static void
expect_single(double value)
{
    long double distance, up, down;
    uint32_t bits;
    float single;

    cr_assert_eq(dtx_convert(DTX_FLOAT64, DTX_FLOAT32, &value, &single, 1), -1);
    cr_assert_eq(!!signbit(single), !!signbit(value));
    if (isnan(value) || isinf(value)) {
        cr_assert(isnan(value) ? isnan(single) : (double)single == value);
        return;
    }
    if (fabs(value) > FLT_MAX) {
        cr_assert_eq(!!isinf(single), fabs(value) >= 0x1.ffffffp127, "%a",
                     value);
        return;
    }
    distance = fabsl((long double)value - single);
    up = fabsl((long double)nextafterf(single, INFINITY) - value);
    down = fabsl((long double)nextafterf(single, -INFINITY) - value);
    memcpy(&bits, &single, sizeof bits);
    cr_assert(distance <= up && distance <= down, "%a", value);
    cr_assert((distance < up && distance < down) || bits % 2 == 0, "%a", value);
}

Test(convert_float, float64_rounds_to_float32)
{
    struct random random = random_begin();

    for (int i = 0; i < RANDOM_COUNT; i++) {
        uint64_t bits = random_next(&random);
        uint32_t half = (uint32_t)bits;
        float single;
        double wide, tie;

        memcpy(&wide, &bits, sizeof wide);
        memcpy(&single, &half, sizeof single);
        tie = ((double)single + nextafterf(single, INFINITY)) / 2;
        expect_single(wide);
        expect_single(single);
        expect_single(tie);
        expect_single(nextafter(tie, INFINITY));
        expect_single(nextafter(tie, -INFINITY));
    }
}

Test(convert_float, float64_is_not_rounded_twice_on_its_way_to_bfloat16)
{
    double value = 1 + 0x1p-8 + 0x1p-40; /* float32 would make it a tie */
    uint16_t element;

    dtx_convert(DTX_FLOAT64, DTX_BFLOAT16, &value, &element, 1);
    cr_assert_eq(element, 0x3F81);
    value = 1 + 0x1.8p-7 - 0x1p-40;
    dtx_convert(DTX_FLOAT64, DTX_BFLOAT16, &value, &element, 1);
    cr_assert_eq(element, 0x3F81);
}

Test(convert_float, nan_stays_nan_with_its_sign_between_wide_floats)
{
    uint32_t bits = 0xFF800001; /* signalling */
    float single;
    double wide;

    memcpy(&single, &bits, sizeof single);
    dtx_convert(DTX_FLOAT32, DTX_FLOAT64, &single, &wide, 1);
    cr_assert(isnan(wide) && signbit(wide));
    dtx_convert(DTX_FLOAT64, DTX_FLOAT32, &wide, &single, 1);
    cr_assert(isnan(single) && signbit(single));
}

Test(convert_float, complex_converts_both_parts)
{
    double in[] = {1.5, -0.1, INFINITY, -0.0};
    float out[4];
    double back[4];

    cr_assert_eq(dtx_convert(DTX_COMPLEX128, DTX_COMPLEX64, in, out, 2), -1);
    cr_assert_eq(dtx_convert(DTX_COMPLEX64, DTX_COMPLEX128, out, back, 2), -1);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(out[i], (float)in[i]);
        cr_assert_eq(back[i], (double)out[i]);
    }
    cr_assert(signbit(out[3]));
}
