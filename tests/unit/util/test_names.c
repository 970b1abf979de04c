#include <criterion/criterion.h>
#include <stdio.h>

#include "util/alloc.h"
#include "util/names.h"

Test(names, numbers_come_in_the_order_of_adding)
{
    struct dtx_names names = {0};
    char text[32];

    cr_assert_eq(dtx_names_find(&names, "a"), -1);
    for (int i = 0; i < 10000; i++) {
        snprintf(text, sizeof text, "layers.%d.weight", i);
        cr_assert_eq(dtx_names_find(&names, text), -1);
        cr_assert_eq(dtx_names_add(&names, text), i);
    }
    cr_assert_eq(names.count, 10000);
    for (int i = 0; i < 10000; i++) {
        snprintf(text, sizeof text, "layers.%d.weight", i);
        cr_assert_eq(dtx_names_find(&names, text), i);
        cr_assert_eq(dtx_names_add(&names, text), i);
        cr_assert_str_eq(names.strings[i], text);
    }
    cr_assert_eq(names.count, 10000);
    dtx_names_finish(&names);
    cr_assert_eq(dtx_names_find(&names, "a"), -1);
}

Test(names, the_empty_string_is_a_name)
{
    struct dtx_names names = {0};

    cr_assert_eq(dtx_names_add(&names, ""), 0);
    cr_assert_eq(dtx_names_add(&names, "x"), 1);
    cr_assert_eq(dtx_names_add(&names, ""), 0);
    dtx_names_finish(&names);
}

/* Whatever allocation fails, what was added before stands, and the set goes
 * on when there is memory again. */
Test(names, a_set_survives_any_failed_allocation)
{
    enum { COUNT = 200 };
    char text[32];

    for (int after = 0; after < 30; after++) {
        struct dtx_names names = {0};
        int added = 0;

        dtx_alloc_fail_after(after);
        for (int i = 0; i < COUNT; i++) {
            snprintf(text, sizeof text, "name-%d", i);
            if (dtx_names_add(&names, text) < 0) {
                break;
            }
            added++;
        }
        dtx_alloc_fail_after(-1);
        cr_assert_eq(names.count, added);
        for (int i = 0; i < COUNT; i++) {
            snprintf(text, sizeof text, "name-%d", i);
            cr_assert_eq(dtx_names_find(&names, text), i < added ? i : -1);
        }
        for (int i = 0; i < COUNT; i++) {
            snprintf(text, sizeof text, "name-%d", i);
            cr_assert_eq(dtx_names_add(&names, text), i);
        }
        dtx_names_finish(&names);
    }
}
