#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "layout/convert.h"
#include "support/random.h"

/* Several blocks and a part of one. */
enum { COUNT = 3 * 1024 + 77, BYTES_MAX = COUNT * 16 };

/* Any pattern of a float, and integers that all types hold. */
static void
fill(struct random *random, enum dtx_dtype dtype, char *buffer)
{
    size_t size = dtx_dtype_size(dtype);

    for (size_t i = 0; i < COUNT * size; i++) {
        buffer[i] = (char)random_next(random);
    }
    if (dtx_convert_is_possible(DTX_BOOL, dtype)) {
        for (size_t i = 0; i < COUNT; i += dtype >= DTX_INT64 ? 1 : 5) {
            uint8_t bit = (uint8_t)random_below(random, 2);

            dtx_convert(DTX_BOOL, dtype, &bit, buffer + i * size, 1);
        }
    }
}

static void
expect_same_everywhere(struct random *random, enum dtx_dtype from,
                       enum dtx_dtype to)
{
    static _Alignas(16) char in[BYTES_MAX], out[BYTES_MAX];
    static _Alignas(16) char odd_in[BYTES_MAX + 1], odd_out[BYTES_MAX + 1];
    static _Alignas(16) char one_by_one[BYTES_MAX], both[BYTES_MAX + 1];
    size_t from_bytes = dtx_dtype_size(from), to_bytes = dtx_dtype_size(to);

    fill(random, from, in);
    memcpy(odd_in + 1, in, COUNT * from_bytes);
    cr_assert_eq(dtx_convert(from, to, in, out, COUNT), -1);
    cr_assert_eq(dtx_convert(from, to, odd_in + 1, odd_out + 1, COUNT), -1);
    cr_assert_arr_eq(odd_out + 1, out, COUNT * to_bytes, "%s to %s unaligned",
                     dtx_dtype_name(from), dtx_dtype_name(to));
    for (size_t i = 0; i < COUNT; i++) {
        dtx_convert(from, to, in + i * from_bytes, one_by_one + i * to_bytes,
                    1);
    }
    cr_assert_arr_eq(one_by_one, out, COUNT * to_bytes, "%s to %s one by one",
                     dtx_dtype_name(from), dtx_dtype_name(to));
    for (size_t shift = 0; shift <= 1; shift++) {
        memcpy(both + shift, in, COUNT * from_bytes);
        cr_assert_eq(dtx_convert(from, to, both + shift, both + shift, COUNT),
                     -1);
        cr_assert_arr_eq(both + shift, out, COUNT * to_bytes,
                         "%s to %s in place", dtx_dtype_name(from),
                         dtx_dtype_name(to));
    }
}

Test(convert_buffers, place_and_alignment_change_nothing)
{
    struct random random = random_begin();

    for (int from = 1; from < DTX_DTYPE_COUNT; from++) {
        for (int to = 1; to < DTX_DTYPE_COUNT; to++) {
            if (dtx_convert_is_possible((enum dtx_dtype)from,
                                        (enum dtx_dtype)to)) {
                expect_same_everywhere(&random, (enum dtx_dtype)from,
                                       (enum dtx_dtype)to);
            }
        }
    }
}

Test(convert_buffers, no_element_is_fine)
{
    cr_assert_eq(dtx_convert(DTX_FLOAT32, DTX_FLOAT64, NULL, NULL, 0), -1);
    cr_assert_eq(dtx_convert(DTX_INT32, DTX_INT8, NULL, NULL, 0), -1);
}

Test(convert_buffers, the_same_type_keeps_every_bit)
{
    uint16_t in = 0x7D55, out = 0;

    cr_assert_eq(dtx_convert(DTX_FLOAT16, DTX_FLOAT16, &in, &out, 1), -1);
    cr_assert_eq(out, in);
}

Test(convert_buffers, some_types_never_become_others)
{
    cr_assert_not(dtx_convert_is_possible(DTX_RAW, DTX_RAW));
    cr_assert_not(dtx_convert_is_possible(DTX_RAW, DTX_INT8));
    cr_assert_not(dtx_convert_is_possible(DTX_FLOAT32, DTX_INT64));
    cr_assert_not(dtx_convert_is_possible(DTX_FLOAT16, DTX_BOOL));
    cr_assert_not(dtx_convert_is_possible(DTX_COMPLEX64, DTX_FLOAT64));
    cr_assert_not(dtx_convert_is_possible(DTX_INT8, DTX_COMPLEX64));
    cr_assert(dtx_convert_is_possible(DTX_BOOL, DTX_FLOAT8_E4M3FN));
    cr_assert(dtx_convert_is_possible(DTX_INT64, DTX_BOOL));
    cr_assert(dtx_convert_is_possible(DTX_COMPLEX64, DTX_COMPLEX128));
}

static void
expect_text(enum dtx_dtype dtype, const void *element, const char *expected)
{
    char text[64];

    dtx_convert_describe(dtype, element, text);
    cr_assert_str_eq(text, expected);
}

Test(convert_buffers, elements_are_described_with_the_digits_they_need)
{
    float tenth = 0.1f, parts[] = {1.5f, -2};
    double third = 1.0 / 3,
           worst[] = {-1.2345678901234568e-300, -1.2345678901234568e-300};
    uint16_t half = 0xFBFF, nan = 0x7FC1;
    uint8_t eighth = 0x20, yes = 1;
    int64_t least = INT64_MIN;
    uint64_t most = UINT64_MAX;

    expect_text(DTX_FLOAT32, &tenth, "0.1");
    expect_text(DTX_FLOAT64, &third, "0.3333333333333333");
    expect_text(DTX_FLOAT16, &half, "-65504");
    expect_text(DTX_BFLOAT16, &nan, "nan");
    expect_text(DTX_FLOAT8_E4M3FN, &eighth, "0.125");
    expect_text(DTX_BOOL, &yes, "true");
    expect_text(DTX_INT64, &least, "-9223372036854775808");
    expect_text(DTX_UINT64, &most, "18446744073709551615");
    expect_text(DTX_COMPLEX64, parts, "1.5-2i");
    expect_text(DTX_COMPLEX128, worst,
                "-1.2345678901234568e-300-1.2345678901234568e-300i");
}
