#include <criterion/criterion.h>

#include "plan/map/kinds.h"

Test(kinds, things_that_differ_in_any_value_are_of_different_kinds)
{
    static const int first[] = {7, 3, 7, 3, 7, 3};
    static const int second[] = {1, 1, 1, 2, 2, 1};
    static const int kinds[] = {0, 1, 0, 2, 3, 1};
    static const int members[] = {0, 2, 1, 5, 3, 4};
    static const int firsts[] = {0, 2, 4, 5, 6};
    struct dtx_kinds k;

    cr_assert_eq(dtx_kinds_init(&k, 6), 0);
    dtx_kinds_split(&k, first);
    cr_assert_eq(k.kind_count, 2);
    dtx_kinds_split(&k, second);
    dtx_kinds_split(&k, first);
    dtx_kinds_list(&k);
    cr_assert_eq(k.kind_count, 4);
    cr_assert_arr_eq(k.kinds, kinds, sizeof kinds);
    cr_assert_arr_eq(k.members, members, sizeof members);
    cr_assert_arr_eq(k.first, firsts, sizeof firsts);
    dtx_kinds_finish(&k);
}

Test(kinds, nothing_is_of_no_kind)
{
    struct dtx_kinds k;

    cr_assert_eq(dtx_kinds_init(&k, 0), 0);
    dtx_kinds_split(&k, NULL);
    dtx_kinds_list(&k);
    cr_assert_eq(k.kind_count, 0);
    dtx_kinds_finish(&k);
}
