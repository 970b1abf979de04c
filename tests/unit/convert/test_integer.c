#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "layout/convert.h"
#include "narrow_reference.h"

/* Wide enough for every integer type. */
typedef __int128 whole;

struct integer_type {
    enum dtx_dtype dtype;
    whole min, max;
};

static const struct integer_type integers[] = {
    {DTX_INT64, INT64_MIN, INT64_MAX},
    {DTX_INT32, INT32_MIN, INT32_MAX},
    {DTX_INT16, INT16_MIN, INT16_MAX},
    {DTX_INT8, INT8_MIN, INT8_MAX},
    {DTX_UINT64, 0, UINT64_MAX},
    {DTX_UINT32, 0, UINT32_MAX},
    {DTX_UINT16, 0, UINT16_MAX},
    {DTX_UINT8, 0, UINT8_MAX},
    {DTX_BOOL, 0, 1},
};

enum {
    INTEGER_COUNT = sizeof integers / sizeof *integers,
    VALUE_COUNT = 3 * 2 * 66
};

/* Zero, all powers of two, what is beside them, and their negatives. */
static void
make_values(whole *values)
{
    for (int power = 0; power < 66; power++) {
        for (int beside = -1; beside <= 1; beside++) {
            whole value = ((whole)1 << power) + beside;

            *values++ = value;
            *values++ = -value;
        }
    }
}

static whole
read_value(const struct integer_type *type, const void *element)
{
    size_t bytes = dtx_dtype_size(type->dtype);
    uint64_t bits = 0;

    memcpy(&bits, element, bytes);
    if (type->min < 0 && bits >> (8 * bytes - 1) != 0) {
        return (whole)bits - ((whole)1 << 8 * bytes);
    }
    return bits;
}

static void
write_value(const struct integer_type *type, whole value, void *element)
{
    uint64_t bits = (uint64_t)value;

    memcpy(element, &bits, dtx_dtype_size(type->dtype));
}

static bool
holds(const struct integer_type *type, whole value)
{
    return value >= type->min && value <= type->max;
}

Test(convert_integer, integers_become_integers_where_they_fit)
{
    whole values[VALUE_COUNT];

    make_values(values);
    for (int pair = 0; pair < INTEGER_COUNT * INTEGER_COUNT; pair++) {
        const struct integer_type *from = &integers[pair / INTEGER_COUNT];
        const struct integer_type *to = &integers[pair % INTEGER_COUNT];

        cr_assert(dtx_convert_is_possible(from->dtype, to->dtype));
        for (int i = 0; i < VALUE_COUNT; i++) {
            uint64_t in, out;
            int64_t bad;

            if (!holds(from, values[i])) {
                continue;
            }
            write_value(from, values[i], &in);
            bad = dtx_convert(from->dtype, to->dtype, &in, &out, 1);
            cr_assert_eq(bad, holds(to, values[i]) ? -1 : 0,
                         "%s %" PRId64 " to %s", dtx_dtype_name(from->dtype),
                         (int64_t)values[i], dtx_dtype_name(to->dtype));
            cr_assert(bad == 0 || read_value(to, &out) == values[i]);
        }
    }
}

/* Long double has 64 significant bits: it holds every integer here. */
static void
expect_float(const struct integer_type *from, whole value,
             const struct narrow_reference *narrow, enum dtx_dtype to)
{
    long double exact = value;
    long double nearest = to == DTX_FLOAT64 ? (double)exact : (float)exact;
    uint64_t in, out;
    double back;
    int64_t bad;

    if (narrow != NULL) {
        nearest = narrow_decode(narrow, narrow_encode(narrow, (double)exact));
    }
    write_value(from, value, &in);
    bad = dtx_convert(from->dtype, to, &in, &out, 1);
    cr_assert_eq(bad, nearest == exact ? -1 : 0, "%s %" PRId64 " to %s",
                 dtx_dtype_name(from->dtype), (int64_t)value,
                 dtx_dtype_name(to));
    if (bad < 0) {
        if (to == DTX_FLOAT64) {
            memcpy(&back, &out, sizeof back);
        } else {
            dtx_convert(to, DTX_FLOAT64, &out, &back, 1);
        }
        cr_assert_eq(back, exact);
    }
}

static void
expect_floats(const struct narrow_reference *narrow, enum dtx_dtype to)
{
    whole values[VALUE_COUNT];

    make_values(values);
    for (int type = 0; type < INTEGER_COUNT; type++) {
        const struct integer_type *from = &integers[type];

        for (int i = 0; i < VALUE_COUNT; i++) {
            if (holds(from, values[i])) {
                expect_float(from, values[i], narrow, to);
            }
        }
        for (whole value = from->min;
             from->max <= UINT16_MAX && value <= from->max; value++) {
            expect_float(from, value, narrow, to);
        }
    }
}

Test(convert_integer, integers_become_floats_where_those_hold_them_exactly)
{
    expect_floats(NULL, DTX_FLOAT64);
    expect_floats(NULL, DTX_FLOAT32);
    for (int which = 0; which < NARROW_COUNT; which++) {
        struct narrow_reference r = narrow_reference_make(which);

        expect_floats(&r, r.dtype);
        narrow_reference_free(&r);
    }
}

Test(convert_integer, any_byte_but_zero_is_true)
{
    uint8_t in[] = {0, 1, 2, 255};
    int32_t out[4];

    cr_assert_eq(dtx_convert(DTX_BOOL, DTX_INT32, in, out, 4), -1);
    cr_assert_eq(out[0], 0);
    cr_assert_eq(out[1], 1);
    cr_assert_eq(out[2], 1);
    cr_assert_eq(out[3], 1);
}

Test(convert_integer, the_first_that_does_not_fit_is_named)
{
    enum { COUNT = 5000, FIRST = 1100, SECOND = 1101, LAST = 4999 };
    static const enum dtx_dtype types[] = {DTX_UINT64, DTX_UINT16,
                                           DTX_BFLOAT16};
    static int32_t in[2 * COUNT];

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (int in_place = 0; in_place <= 1; in_place++) {
            static uint64_t out[COUNT];

            memset(in, 0, sizeof in);
            in[FIRST] = in[SECOND] = in[LAST] = -1000001;
            cr_assert_eq(dtx_convert(DTX_INT32, types[i], in,
                                     in_place ? (void *)in : out, COUNT),
                         FIRST);
        }
    }
}
