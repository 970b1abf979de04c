#include <criterion/criterion.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

Test(text, pieces_are_joined)
{
    struct dtx_text text = {0};

    dtx_text_add(&text, "");
    cr_assert_str_eq(text.data, "");
    dtx_text_add(&text, "a");
    dtx_text_add_bytes(&text, "bcd", 2);
    dtx_text_format(&text, "-%d-%s", 12, "x");
    cr_assert_str_eq(text.data, "abc-12-x");
    cr_assert_eq(text.length, strlen(text.data));
    dtx_text_finish(&text);
    cr_assert_null(text.data);
}

Test(text, lists_are_as_yaml_has_them)
{
    struct dtx_text text = {0};

    dtx_text_list(&text, NULL, 0);
    dtx_text_list(&text, (int64_t[]){-1}, 1);
    dtx_text_list(&text, (int64_t[]){2, INT64_MAX}, 2);
    cr_assert_str_eq(text.data, "[][-1][2, 9223372036854775807]");
    dtx_text_finish(&text);
}

Test(text, it_grows_as_it_must)
{
    struct dtx_text text = {0};

    for (int i = 0; i < 10000; i++) {
        dtx_text_format(&text, "%04d", i);
    }
    cr_assert_eq(text.length, 40000);
    cr_assert_eq(strncmp(text.data + 4 * 1234, "1234", 4), 0);
    dtx_text_finish(&text);
}

Test(text, out_of_memory_is_remembered)
{
    struct dtx_text text = {0};

    dtx_text_add(&text, "kept");
    dtx_alloc_fail_after(0);
    for (int i = 0; i < 100; i++) {
        dtx_text_format(&text, "more and more");
    }
    dtx_alloc_fail_after(-1);
    cr_assert(text.failed);
    dtx_text_add(&text, "x");
    cr_assert(text.failed);
    cr_assert_eq(strncmp(text.data, "kept", 4), 0);
    dtx_text_finish(&text);
}

static void
assert_quotes(const char *string, const char *expected)
{
    struct dtx_text text = {0};

    dtx_text_quote(&text, string);
    cr_assert_str_eq(text.data, expected);
    dtx_text_finish(&text);
}

Test(text, quoted_strings_are_yaml)
{
    assert_quotes("", "\"\"");
    assert_quotes("layers.0", "\"layers.0\"");
    assert_quotes("a\"b\\c", "\"a\\\"b\\\\c\"");
    assert_quotes("a\nb\tc\x01\x7F", "\"a\\nb\\tc\\x01\\x7F\"");
    assert_quotes("λ日😀", "\"λ日😀\"");
    assert_quotes("\xC2\x85\xE2\x80\xA8\xEF\xBB\xBF\xEF\xBF\xBF",
                  "\"\\x85\\u2028\\uFEFF\\uFFFF\"");
    assert_quotes("\xF0\x9F\xBF\xBF", "\"\\U0001FFFF\"");
    assert_quotes("\xFF", "\"\\xFF\"");
}
