#include <criterion/criterion.h>
#include <string.h>

#include "util/error.h"

Test(error, setting_clears_all_that_was)
{
    struct dtx_error err;

    memset(&err, 'x', sizeof err);
    cr_assert_eq(dtx_error_set(&err, DTX_ERR_SOURCE, "no %s", "file"),
                 DTX_ERR_SOURCE);
    cr_assert_eq(err.status, DTX_ERR_SOURCE);
    cr_assert_eq(err.process, -1);
    cr_assert_str_eq(err.message, "no file");
    cr_assert_str_empty(err.tensor);
    cr_assert_str_empty(err.where);
    cr_assert_str_empty(err.hint);
}

Test(error, callers_add_what_they_know)
{
    struct dtx_error err;

    dtx_error_memory(&err);
    dtx_error_tensor(&err, "a.weight, box [%d:%d]", 0, 4);
    dtx_error_where(&err, "rank %d", 3);
    dtx_error_hint(&err, "raise %s", "--memory");
    cr_assert_eq(err.status, DTX_ERR_LIMIT);
    cr_assert_str_eq(err.message, "out of memory");
    cr_assert_str_eq(err.tensor, "a.weight, box [0:4]");
    cr_assert_str_eq(err.where, "rank 3");
    cr_assert_str_eq(err.hint, "raise --memory");
}

Test(error, a_message_may_be_built_from_the_one_before)
{
    struct dtx_error err;

    dtx_error_set(&err, DTX_ERR_SOURCE, "no such file");
    dtx_error_set(&err, DTX_ERR_TARGET, "cannot copy: %s", err.message);
    cr_assert_str_eq(err.message, "cannot copy: no such file");
    dtx_error_hint(&err, "look");
    dtx_error_hint(&err, "%s twice", err.hint);
    cr_assert_str_eq(err.hint, "look twice");
}

Test(error, what_is_too_long_is_cut_between_code_points)
{
    for (int shift = 0; shift < 3; shift++) {
        struct dtx_error err;
        char text[2000] = "";
        size_t length;

        memset(text, 'a', (size_t)shift);
        while (strlen(text) < sizeof text - 8) {
            strcat(text, "€");
        }
        dtx_error_set(&err, DTX_ERR_SOURCE, "%s", text);
        length = strlen(err.message);
        cr_assert_gt(length, sizeof err.message - 8);
        cr_assert_str_eq(err.message + length - 3, "...");
        cr_assert_eq((length - 3 - (size_t)shift) % 3, 0);
        cr_assert_eq(strncmp(err.message, text, length - 3), 0);
    }
}

Test(error, what_just_fits_is_whole)
{
    struct dtx_error err;
    char text[sizeof err.where] = "";

    memset(text, 'w', sizeof text - 1);
    dtx_error_set(&err, DTX_ERR_SOURCE, "x");
    dtx_error_where(&err, "%s", text);
    cr_assert_str_eq(err.where, text);
}

Test(status, every_number_has_a_name)
{
    for (int i = -2; i < 100; i++) {
        cr_assert_not_null(dtx_status_name((enum dtx_status)i));
    }
    cr_assert_str_eq(dtx_status_name(DTX_OK), "done");
    cr_assert_str_eq(dtx_status_name((enum dtx_status)99), "unknown status");
}
