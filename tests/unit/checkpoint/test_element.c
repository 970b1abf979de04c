#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/checkpoint/element.h"

enum { MANY = 4096 };

Test(element, a_part_is_what_the_whole_has_there)
{
    static _Alignas(16) char whole[MANY * 16];
    static _Alignas(16) char part[MANY * 16];

    for (int dtype = 1; dtype < DTX_DTYPE_COUNT; dtype++) {
        size_t size = dtx_dtype_size((enum dtx_dtype)dtype);
        uint64_t key = element_key("a.weight", 3);

        element_fill((enum dtx_dtype)dtype, key, 100, MANY, whole);
        for (size_t first = 0; first < 40; first += 13) {
            element_fill((enum dtx_dtype)dtype, key, 100 + (int64_t)first, 77,
                         part);
            cr_assert_arr_eq(part, whole + first * size, 77 * size, "%s",
                             dtx_dtype_name((enum dtx_dtype)dtype));
        }
    }
}

Test(element, parts_that_meet_at_an_index_of_33_bits_are_one)
{
    static uint16_t whole[64];
    static uint16_t left[32];
    static uint16_t right[32];
    int64_t meet = 5LL << 32;

    element_fill(DTX_BFLOAT16, 42, meet - 32, 64, whole);
    element_fill(DTX_BFLOAT16, 42, meet - 32, 32, left);
    element_fill(DTX_BFLOAT16, 42, meet, 32, right);
    cr_assert_arr_eq(whole, left, sizeof(left));
    cr_assert_arr_eq(whole + 32, right, sizeof(right));
}

Test(element, values_differ_by_name_seed_and_window)
{
    uint64_t key = element_key("a", 0);
    uint64_t a[8];
    uint64_t b[8];

    cr_assert_neq(key, element_key("b", 0));
    cr_assert_neq(key, element_key("a", 1));
    element_fill(DTX_UINT64, key, 0, 8, a);
    element_fill(DTX_UINT64, key, 1LL << 32, 8, b);
    cr_assert_arr_neq(a, b, sizeof(a));
}

Test(element, floats_are_between_a_256th_and_2)
{
    static float single[MANY];
    static double wide[MANY];

    element_fill(DTX_FLOAT32, 1, 0, MANY, single);
    element_fill(DTX_FLOAT64, 1, 0, MANY, wide);
    for (int i = 0; i < MANY; i++) {
        cr_assert(fabsf(single[i]) >= 1.0f / 256 && fabsf(single[i]) < 2.0f);
        cr_assert(fabs(wide[i]) >= 1.0 / 256 && fabs(wide[i]) < 2.0);
    }
}

/* The narrow types, by the words that describe their values. */
Test(element, narrow_floats_are_finite_and_not_zero)
{
    static const enum dtx_dtype dtypes[] = {DTX_FLOAT16, DTX_BFLOAT16,
                                            DTX_FLOAT8_E4M3FN, DTX_FLOAT8_E5M2};
    static char elements[MANY * 2];
    char text[ELEMENT_TEXT];

    for (size_t d = 0; d < sizeof(dtypes) / sizeof(dtypes[0]); d++) {
        size_t size = dtx_dtype_size(dtypes[d]);

        element_fill(dtypes[d], 1, 0, MANY, elements);
        for (size_t i = 0; i < MANY; i++) {
            double value = 0;

            element_describe(dtypes[d], elements + i * size, text);
            cr_assert_eq(sscanf(text, "%*s (%lf)", &value), 1, "%s", text);
            cr_assert(fabs(value) >= 1.0 / 256 && fabs(value) < 2.0, "%s",
                      text);
        }
    }
}

Test(element, constants_are_zero_or_one)
{
    double pair[2];
    float single;
    uint16_t half;
    int64_t whole;

    element_fill_constant(DTX_COMPLEX128, 1, 1, pair);
    cr_assert(pair[0] == 1.0 && pair[1] == 0.0);
    element_fill_constant(DTX_FLOAT32, 1, 1, &single);
    cr_assert(single == 1.0f);
    element_fill_constant(DTX_BFLOAT16, 1, 1, &half);
    cr_assert_eq(half, 0x3f80);
    element_fill_constant(DTX_INT64, 1, 1, &whole);
    cr_assert_eq(whole, 1);
    element_fill_constant(DTX_INT64, 0, 1, &whole);
    cr_assert_eq(whole, 0);
}

static void
assert_described(enum dtx_dtype dtype, uint64_t bits, const char *expected)
{
    char text[ELEMENT_TEXT];

    cr_assert_str_eq(element_describe(dtype, &bits, text), expected);
}

Test(element, descriptions_give_bits_and_value)
{
    assert_described(DTX_FLOAT32, 0x3f800000, "0x3f800000 (1)");
    assert_described(DTX_BFLOAT16, 0xbf80, "0xbf80 (-1)");
    assert_described(DTX_FLOAT16, 0x0001, "0x0001 (5.96046448e-08)");
    assert_described(DTX_FLOAT8_E4M3FN, 0x7e, "0x7e (448)");
    assert_described(DTX_FLOAT8_E4M3FN, 0x7f, "0x7f");
    assert_described(DTX_FLOAT8_E5M2, 0x7b, "0x7b (57344)");
    assert_described(DTX_INT16, 0xfffe, "0xfffe");
}
