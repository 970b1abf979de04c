#include <criterion/criterion.h>
#include <string.h>

#include "util/utf8.h"

/* Encodes as the standard's table says. */
static size_t
encode(uint32_t code, char *out)
{
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};

    for (size_t i = length; i > 1; i--) {
        out[i - 1] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(leads[length] | code);
    out[length] = '\0';
    return length;
}

Test(utf8, every_code_point_is_read_back)
{
    for (uint32_t code = 1; code <= 0x10FFFF; code++) {
        char text[5];
        size_t length = encode(code, text);
        uint32_t found;

        if (code == 0xD800) {
            code = 0xDFFF;
            continue;
        }
        cr_assert_eq(dtx_utf8_decode(text, &found), length);
        cr_assert_eq(found, code);
    }
}

Test(utf8, a_stray_byte_stands_for_itself)
{
    static const char *const texts[] = {
        "\x80",
        "\xFF",
        "\xC3",
        "\xC3g",
        "\xE2\x82",
        "\xC0\x80",
        "\xE0\x80\x80",
        "\xED\xA0\x80",
        "\xF4\x90\x80\x80",
        "\xF0\x80\x80\x80",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint32_t code;

        cr_assert_eq(dtx_utf8_decode(texts[i], &code), 1);
        cr_assert_eq(code, DTX_UTF8_STRAY + (unsigned char)texts[i][0]);
    }
}

Test(utf8, wide_and_combining_characters_have_their_width)
{
    cr_assert_eq(dtx_utf8_width('a'), 1);
    cr_assert_eq(dtx_utf8_width(0xE9), 1);
    cr_assert_eq(dtx_utf8_width(0x65E5), 2);
    cr_assert_eq(dtx_utf8_width(0x1F600), 2);
    cr_assert_eq(dtx_utf8_width(0x301), 0);
}

/* Text with what a terminal obeys, and as it is shown. */
Test(utf8, what_is_shown_moves_no_cursor)
{
    static const char *const texts[][2] = {
        {"", ""},
        {"layers.0.wq", "layers.0.wq"},
        {"\xE6\x97\xA5 \xC3\xA9", "\xE6\x97\xA5 \xC3\xA9"},
        {"a\x1B[2Jb\rc", "a?[2Jb?c"},
        {"a\x9B"
         "b\xFF",
         "a?b?"},
        {"a\xC2\x9B"
         "b\xE2\x80\xAE"
         "c",
         "a?b?c"},
        {"a\tb\nc", "a b/c"},
        {"cut \xE2\x82", "cut ??"},
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[32];
        size_t length;

        strcpy(text, texts[i][0]);
        length = dtx_utf8_clean(text, '/');
        cr_assert_str_eq(text, texts[i][1]);
        cr_assert_eq(length, strlen(texts[i][1]));
    }
}
