#include <math.h>
#include <string.h>

#include "engine/compare/tally.h"
#include "support/claim.h"

/* What is found between one element and another. */
static struct tally
compare(enum dtx_dtype first, const void *a, enum dtx_dtype second,
        const void *b)
{
    static const int64_t shape[1] = {1}, lo[1] = {0};
    struct tally_boxes boxes = {
        .types = {dtx_type_of(first), dtx_type_of(second)},
        .is_one_type = first == second,
        .data = {a, b},
        .count = 1,
        .ndim = 1,
        .shape = shape,
        .lo = lo,
        .len = shape};
    struct tally tally = {0};

    tally_add(&tally, &boxes);
    return tally;
}

static bool
differ(enum dtx_dtype first, const void *a, enum dtx_dtype second,
       const void *b)
{
    bool found = compare(first, a, second, b).differing != 0;

    claim((compare(second, b, first, a).differing != 0) == found);
    return found;
}

Test(tally, long_integers_are_held_against_other_types_exactly)
{
    const int64_t large = INT64_C(9007199254740993), negative = -1;
    const int64_t small = 3;
    const uint64_t same = (uint64_t)large, next = same + 1, all = UINT64_MAX;
    const double near = 9007199254740992.0, three = 3, half = 3.5;
    const double beyond = 0x1p64, infinite = INFINITY, none = NAN;

    claim(!differ(DTX_INT64, &large, DTX_UINT64, &same));
    claim(differ(DTX_INT64, &large, DTX_UINT64, &next));
    claim(differ(DTX_INT64, &negative, DTX_UINT64, &all));
    claim(differ(DTX_INT64, &large, DTX_FLOAT64, &near));
    claim(differ(DTX_UINT64, &same, DTX_FLOAT64, &near));
    claim(differ(DTX_UINT64, &all, DTX_FLOAT64, &beyond));
    claim(!differ(DTX_INT64, &small, DTX_FLOAT64, &three));
    claim(differ(DTX_INT64, &small, DTX_FLOAT64, &half));
    claim(differ(DTX_INT64, &small, DTX_FLOAT64, &infinite));
    claim(differ(DTX_INT64, &small, DTX_FLOAT64, &none));
}

Test(tally, complex_numbers_differ_by_no_more_and_no_less_than_they_do)
{
    const double sizes[] = {1e-200, 1, 1e200};

    for (int i = 0; i < 3; i++) {
        const double a[2] = {3 * sizes[i], 4 * sizes[i]}, b[2] = {0, 0};
        struct tally t = compare(DTX_COMPLEX128, a, DTX_COMPLEX128, b);

        claim(fabs(t.largest_absolute / sizes[i] - 5) < 1e-12);
        claim(fabs(t.largest_relative - 1) < 1e-12);
    }
}
