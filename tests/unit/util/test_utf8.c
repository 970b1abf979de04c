#include <criterion/criterion.h>

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
