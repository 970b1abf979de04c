#include <criterion/criterion.h>
#include <string.h>

#include "support/random.h"
#include "util/size.h"

static void
assert_parses(const char *text, uint64_t expected)
{
    uint64_t bytes = 42;

    cr_assert(dtx_size_parse(text, &bytes), "'%s'", text);
    cr_assert_eq(bytes, expected, "'%s' is %llu", text,
                 (unsigned long long)bytes);
}

Test(size, units_are_binary_but_for_kb_and_its_like)
{
    assert_parses("1000", 1000);
    assert_parses("0", 0);
    assert_parses("7B", 7);
    assert_parses("64k", 65536);
    assert_parses("64K", 65536);
    assert_parses("1kB", 1000);
    assert_parses("256MiB", 256ull << 20);
    assert_parses("64Mi", 64ull << 20);
    assert_parses("2MB", 2000000);
    assert_parses("4GiB", 4ull << 30);
    assert_parses("4 GiB", 4ull << 30);
    assert_parses("1.5G", 3ull << 29);
    assert_parses("0.5KiB", 512);
    assert_parses("2TB", 2000000000000ull);
    assert_parses("3PiB", 3ull << 50);
    assert_parses("18446744073709551615", UINT64_MAX);
}

Test(size, what_is_no_size_is_refused)
{
    static const char *const texts[] = {
        "",
        " ",
        "GiB",
        "-1",
        "+1",
        "1.5",
        "1.5B",
        "1.",
        ".5G",
        "1..5G",
        "4 ",
        "4  GiB",
        "4GiBs",
        "4EiBB",
        "0x10",
        "1e3",
        "4 G B",
        "18446744073709551616",
        "99999999999G",
        "16777216T",
        "NaN",
        "4\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint64_t bytes = 42;

        cr_assert_not(dtx_size_parse(texts[i], &bytes), "'%s'", texts[i]);
        cr_assert_eq(bytes, 42);
    }
}

static void
assert_formats(uint64_t bytes, const char *expected)
{
    char text[DTX_SIZE_TEXT];

    cr_assert_str_eq(dtx_size_format(bytes, text), expected);
}

Test(size, sizes_are_shown_with_two_decimals_where_they_are_not_whole)
{
    assert_formats(0, "0 B");
    assert_formats(1023, "1023 B");
    assert_formats(1024, "1 KiB");
    assert_formats(1536, "1.50 KiB");
    assert_formats(512ull << 20, "512 MiB");
    assert_formats(16063000000ull, "14.96 GiB");
    assert_formats(UINT64_MAX, "16.00 EiB");
}

Test(size, no_size_is_shown_as_1024_of_a_unit)
{
    assert_formats((1ull << 20) - 1, "1.00 MiB");
    assert_formats((1ull << 20) - 5, "1.00 MiB");
    assert_formats((1ull << 20) - 16, "1023.98 KiB");
}

Test(size, what_is_shown_can_be_read_back)
{
    struct random random = random_begin();

    for (int round = 0; round < 10000; round++) {
        uint64_t bytes =
            random_next(&random) >> (14 + random_below(&random, 50));
        char text[DTX_SIZE_TEXT];
        uint64_t back;

        cr_assert(dtx_size_parse(dtx_size_format(bytes, text), &back));
        cr_assert_leq((bytes > back ? bytes - back : back - bytes), bytes / 100,
                      "%s", text);
    }
}
