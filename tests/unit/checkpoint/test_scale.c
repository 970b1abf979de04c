#include <criterion/criterion.h>

#include "tools/checkpoint/scale.h"

Test(scale, one_factor_divides_every_dim_rounded_up)
{
    struct scale scale;

    cr_assert(scale_parse("4", &scale));
    cr_assert(scale_is_uniform(&scale));
    cr_assert_eq(scale_extent(&scale, 0, 8), 2);
    cr_assert_eq(scale_extent(&scale, 1, 9), 3);
    cr_assert_eq(scale_extent(&scale, 2, 1), 1);
    cr_assert_eq(scale_extent(&scale, 3, 0), 0);
}

Test(scale, dims_have_factors_of_their_own)
{
    struct scale scale;

    cr_assert(scale_parse("0:4,2:3", &scale));
    cr_assert_not(scale_is_uniform(&scale));
    cr_assert_eq(scale_extent(&scale, 0, 8), 2);
    cr_assert_eq(scale_extent(&scale, 1, 8), 8);
    cr_assert_eq(scale_extent(&scale, 2, 8), 3);
}

Test(scale, what_is_no_scale_is_refused)
{
    static const char *const texts[] = {"",
                                        "0",
                                        "-1",
                                        "x",
                                        "4x",
                                        "1:",
                                        "1:0",
                                        "1:2,",
                                        "1:2,3",
                                        "32:2",
                                        ":2",
                                        "1:-2",
                                        "1;2",
                                        " 4",
                                        "4 ",
                                        "1:2 ",
                                        "1.5",
                                        "1:2:3",
                                        "99999999999999999",
                                        "0:x"};
    struct scale scale;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cr_assert_not(scale_parse(texts[i], &scale), "'%s'", texts[i]);
    }
}
