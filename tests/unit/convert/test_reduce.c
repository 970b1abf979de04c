#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "layout/convert.h"
#include "layout/reduce.h"
#include "support/random.h"

/* More than one block of every type, and terms of all shapes below. */
enum { COUNT = 1500, TERM_COUNT = 24, BYTES_MAX = COUNT * 16 };

static char terms[TERM_COUNT][BYTES_MAX];
static const void *pointers[TERM_COUNT];
static char out[BYTES_MAX];

static int64_t
reduce(enum dtx_dtype dtype, int axis_count, const int *sizes,
       const enum dtx_op *ops)
{
    struct dtx_reduction reduction = {dtype, axis_count, sizes, ops};

    for (int i = 0; i < TERM_COUNT; i++) {
        pointers[i] = terms[i];
    }
    return dtx_reduce_terms(&reduction, pointers, COUNT, out);
}

/* One element of each of some float32 terms, the rest zero. */
static float
reduce_floats(enum dtx_op op, const float *values, int count)
{
    float result;

    for (int i = 0; i < count; i++) {
        memset(terms[i], 0, BYTES_MAX);
        memcpy(terms[i], &values[i], sizeof *values);
    }
    cr_assert_eq(reduce(DTX_FLOAT32, 1, &count, &op), -1);
    memcpy(&result, out, sizeof result);
    return result;
}

static int64_t
reduce_bytes(enum dtx_dtype dtype, enum dtx_op op, const int *values, int count)
{
    uint8_t result;
    int64_t bad;

    for (int i = 0; i < count; i++) {
        memset(terms[i], 0, BYTES_MAX);
        terms[i][1] = (char)values[i];
    }
    bad = reduce(dtype, 1, &count, &op);
    memcpy(&result, &out[1], 1);
    return bad >= 0 ? -1000 - bad : dtype == DTX_INT8 ? (int8_t)result : result;
}

static float
scalar(enum dtx_op op, float a, float b)
{
    switch (op) {
    case DTX_SUM:
    case DTX_AVG:
        return a + b;
    case DTX_MIN:
        return a <= b ? a : b;
    case DTX_MAX:
        return a >= b ? a : b;
    case DTX_PRODUCT:
        return a * b;
    }
    return 0;
}

/* As the contract words it: the whole stack loses its first axis, then what
 * is left its first axis, and so on. */
static float
reference(int axis_count, const int *sizes, const enum dtx_op *ops,
          float *stack)
{
    int rest = 1;

    for (int axis = 0; axis < axis_count; axis++) {
        rest *= sizes[axis];
    }
    for (int axis = 0; axis < axis_count; axis++) {
        rest /= sizes[axis];
        for (int i = 0; i < rest; i++) {
            for (int c = 1; c < sizes[axis]; c++) {
                stack[i] = scalar(ops[axis], stack[i], stack[c * rest + i]);
            }
            if (ops[axis] == DTX_AVG) {
                stack[i] /= (float)sizes[axis];
            }
        }
    }
    return stack[0];
}

static void
expect_reference(enum dtx_dtype dtype, int axis_count, const int *sizes,
                 const enum dtx_op *ops)
{
    size_t size = dtx_dtype_size(dtype);
    int64_t bad = reduce(dtype, axis_count, sizes, ops);

    cr_assert_eq(bad, -1);
    for (size_t i = 0; i < COUNT; i++) {
        float stack[TERM_COUNT], value;
        char expected[4];

        for (int term = 0; term < TERM_COUNT; term++) {
            if (dtype == DTX_FLOAT32) {
                memcpy(&stack[term], terms[term] + i * size, size);
            } else {
                dtx_convert(dtype, DTX_FLOAT32, terms[term] + i * size,
                            &stack[term], 1);
            }
        }
        value = reference(axis_count, sizes, ops, stack);
        if (dtype == DTX_FLOAT32) {
            memcpy(expected, &value, size);
        } else {
            dtx_convert(DTX_FLOAT32, dtype, &value, expected, 1);
        }
        cr_assert_eq(memcmp(out + i * size, expected, size), 0,
                     "%s, element %zu", dtx_dtype_name(dtype), i);
    }
}

Test(reduce, axes_go_one_after_another_as_written)
{
    static const enum dtx_dtype dtypes[] = {DTX_FLOAT32, DTX_BFLOAT16,
                                            DTX_FLOAT16, DTX_FLOAT8_E5M2};
    static const int shapes[][3] = {
        {2, 3, 4}, {4, 1, 6}, {1, 24, 1}, {3, 2, 2}, {5, 4, 1}};
    struct random random = random_begin();

    for (int i = 0; i < 200; i++) {
        enum dtx_dtype dtype = dtypes[i % 4];
        const int *sizes = shapes[random_below(&random, 5)];
        int axis_count = 1 + (int)random_below(&random, 3);
        enum dtx_op ops[3];

        for (int axis = 0; axis < 3; axis++) {
            ops[axis] = (enum dtx_op)random_below(&random, 5);
        }
        for (int e = 0; e < TERM_COUNT * COUNT; e++) {
            float value = (float)random_below(&random, 1 << 20) / (1 << 19) - 1;

            if (dtype == DTX_FLOAT32) {
                memcpy(terms[e / COUNT] + e % COUNT * 4, &value, 4);
            } else {
                dtx_convert(DTX_FLOAT32, dtype, &value,
                            terms[e / COUNT] +
                                (size_t)(e % COUNT) * dtx_dtype_size(dtype),
                            1);
            }
        }
        expect_reference(dtype, axis_count, sizes, ops);
    }
}

Test(reduce, the_first_axis_written_is_the_slowest_and_reduced_first)
{
    static const int sizes[] = {2, 3};
    static const enum dtx_op ops[] = {DTX_SUM, DTX_MAX};
    static const int values[] = {1, 20, 3, 4, 5, 60};
    int8_t result;

    for (int i = 0; i < 6; i++) {
        memset(terms[i], values[i], BYTES_MAX);
    }
    cr_assert_eq(reduce(DTX_INT8, 2, sizes, ops), -1);
    memcpy(&result, out, 1);
    cr_assert_eq(result, 63); /* max(1 + 4, 20 + 5, 3 + 60) */
}

Test(reduce, floats_are_added_in_coordinate_order)
{
    float values[] = {1e8f, 1, -1e8f, 1};

    cr_assert_eq(reduce_floats(DTX_SUM, values, 4), 1);
}

Test(reduce, an_average_divides_the_sum)
{
    float values[] = {1, 4, 3};

    cr_assert_eq(reduce_floats(DTX_AVG, values, 3), 8.0f / 3);
}

Test(reduce, bfloat16_is_rounded_once_at_the_end)
{
    int size = 3;
    enum dtx_op op = DTX_SUM;
    uint16_t one = 0x3F80, eps = 0x3B80; /* 1 and 2^-8 */
    uint16_t result;

    memset(terms, 0, sizeof terms);
    memcpy(terms[0], &one, 2);
    memcpy(terms[1], &eps, 2);
    memcpy(terms[2], &eps, 2);
    cr_assert_eq(reduce(DTX_BFLOAT16, 1, &size, &op), -1);
    memcpy(&result, out, 2);
    cr_assert_eq(result, 0x3F81);
}

Test(reduce, nan_wins_min_and_max_wherever_it_stands)
{
    for (int at = 0; at < 3; at++) {
        float values[] = {1, -2, 3};

        values[at] = NAN;
        cr_assert(isnan(reduce_floats(DTX_MIN, values, 3)));
        cr_assert(isnan(reduce_floats(DTX_MAX, values, 3)));
    }
}

Test(reduce, of_equal_zeros_the_first_stays)
{
    float negative_first[] = {-0.0f, 0.0f}, positive_first[] = {0.0f, -0.0f};

    cr_assert(signbit(reduce_floats(DTX_MIN, negative_first, 2)));
    cr_assert(signbit(reduce_floats(DTX_MAX, negative_first, 2)));
    cr_assert_not(signbit(reduce_floats(DTX_MIN, positive_first, 2)));
    cr_assert_not(signbit(reduce_floats(DTX_MAX, positive_first, 2)));
}

Test(reduce, integers_are_exact_on_the_way_and_must_fit_at_the_end)
{
    int back[] = {100, 100, -100}, high[] = {100, 28, 0}, low[] = {-100, -29};
    int lowest[] = {-100, -28}, factors[] = {16, -8}, bytes[] = {200, 55, 1};

    cr_assert_eq(reduce_bytes(DTX_INT8, DTX_SUM, back, 3), 100);
    cr_assert_eq(reduce_bytes(DTX_INT8, DTX_SUM, high, 3), -1001);
    cr_assert_eq(reduce_bytes(DTX_INT8, DTX_SUM, low, 2), -1001);
    cr_assert_eq(reduce_bytes(DTX_INT8, DTX_SUM, lowest, 2), -128);
    cr_assert_eq(reduce_bytes(DTX_INT8, DTX_PRODUCT, factors, 2), -128);
    cr_assert_eq(reduce_bytes(DTX_UINT8, DTX_SUM, bytes, 2), 255);
    cr_assert_eq(reduce_bytes(DTX_UINT8, DTX_SUM, bytes, 3), -1001);
    cr_assert_eq(reduce_bytes(DTX_UINT8, DTX_MAX, bytes, 3), 200);
    cr_assert_eq(reduce_bytes(DTX_INT8, DTX_MIN, back, 3), -100);
}

Test(reduce, the_first_element_that_overflows_is_named_whatever_its_term)
{
    int size = 3;
    enum dtx_op op = DTX_SUM;
    int64_t most = INT64_MAX, one = 1;

    memset(terms, 0, sizeof terms);
    for (int i = 900; i < 1000; i++) {
        memcpy(terms[0] + i * 8, &most, 8);
    }
    memcpy(terms[1] + 950 * 8, &one, 8);
    memcpy(terms[2] + 920 * 8, &one, 8);
    cr_assert_eq(reduce(DTX_INT64, 1, &size, &op), 920);
    cr_assert_eq(reduce(DTX_UINT64, 1, &size, &op), -1);
}

Test(reduce, bool_has_min_and_max)
{
    int values[] = {1, 0, 1};

    cr_assert_eq(reduce_bytes(DTX_BOOL, DTX_MIN, values, 3), 0);
    cr_assert_eq(reduce_bytes(DTX_BOOL, DTX_MAX, values, 3), 1);
}

Test(reduce, complex_numbers_are_added_multiplied_and_averaged)
{
    static const double a[] = {1, 2}, b[] = {3, -4};
    int size = 2;
    double result[2];
    enum dtx_op op = DTX_SUM;

    memset(terms, 0, sizeof terms);
    memcpy(terms[0] + 16, a, 16);
    memcpy(terms[1] + 16, b, 16);
    cr_assert_eq(reduce(DTX_COMPLEX128, 1, &size, &op), -1);
    memcpy(result, out + 16, 16);
    cr_assert(result[0] == 4 && result[1] == -2);
    op = DTX_PRODUCT;
    cr_assert_eq(reduce(DTX_COMPLEX128, 1, &size, &op), -1);
    memcpy(result, out + 16, 16);
    cr_assert(result[0] == 11 && result[1] == 2);
    op = DTX_AVG;
    cr_assert_eq(reduce(DTX_COMPLEX128, 1, &size, &op), -1);
    memcpy(result, out + 16, 16);
    cr_assert(result[0] == 2 && result[1] == -1);
}

Test(reduce, the_result_can_replace_a_term)
{
    struct dtx_reduction reduction = {DTX_INT16, 1, (const int[]){2},
                                      (const enum dtx_op[]){DTX_SUM}};
    static int16_t a[COUNT], b[COUNT];
    const void *both[] = {a, b};

    for (int i = 0; i < COUNT; i++) {
        a[i] = (int16_t)i;
        b[i] = 7;
    }
    cr_assert_eq(dtx_reduce_terms(&reduction, both, COUNT, b), -1);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(b[i], i + 7);
    }
}

Test(reduce, what_has_no_meaning_is_not_possible)
{
    cr_assert_not(dtx_reduce_is_possible(DTX_AVG, DTX_INT32));
    cr_assert_not(dtx_reduce_is_possible(DTX_AVG, DTX_UINT64));
    cr_assert_not(dtx_reduce_is_possible(DTX_MIN, DTX_COMPLEX64));
    cr_assert_not(dtx_reduce_is_possible(DTX_MAX, DTX_COMPLEX128));
    cr_assert_not(dtx_reduce_is_possible(DTX_SUM, DTX_BOOL));
    cr_assert_not(dtx_reduce_is_possible(DTX_SUM, DTX_RAW));
    cr_assert(dtx_reduce_is_possible(DTX_AVG, DTX_FLOAT8_E4M3FN));
    cr_assert(dtx_reduce_is_possible(DTX_PRODUCT, DTX_UINT8));
}

Test(reduce, neutral_elements_change_nothing)
{
    for (int d = DTX_FLOAT64; d < DTX_DTYPE_COUNT; d++) {
        enum dtx_dtype dtype = (enum dtx_dtype)d;
        char zero[16], one[16], zeros[16] = {0};

        if (!dtx_reduce_is_possible(DTX_SUM, dtype)) {
            continue;
        }
        dtx_reduce_neutral(DTX_SUM, dtype, zero);
        dtx_reduce_neutral(DTX_PRODUCT, dtype, one);
        cr_assert_eq(memcmp(zero, zeros, dtx_dtype_size(dtype)), 0);
        cr_assert_neq(memcmp(one, zeros, dtx_dtype_size(dtype)), 0);
        for (int i = 0; i < 2; i++) {
            for (int e = 0; e < COUNT; e++) {
                memcpy(terms[i] + (size_t)e * dtx_dtype_size(dtype), one,
                       dtx_dtype_size(dtype));
            }
        }
        cr_assert_eq(reduce(dtype, 1, (const int[]){2},
                            (const enum dtx_op[]){DTX_PRODUCT}),
                     -1);
        cr_assert_eq(memcmp(out, one, dtx_dtype_size(dtype)), 0);
    }
}
