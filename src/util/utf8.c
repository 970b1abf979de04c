#include "util/utf8.h"

#include <string.h>

/* The length that a lead byte announces, or 0. */
static size_t
sequence_length(unsigned char lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        return 2;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        return 3;
    }
    return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

size_t
dtx_utf8_decode(const char *string, uint32_t *code_out)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)string[0];
    size_t length = sequence_length(lead);
    uint32_t code = length <= 1 ? lead : lead & (0x7Fu >> length);

    for (size_t i = 1; i < length; i++) {
        unsigned char byte = (unsigned char)string[i];

        if ((byte & 0xC0) != 0x80) {
            length = 0;
            break;
        }
        code = code << 6 | (byte & 0x3F);
    }
    if (length == 0 || code < smallest[length] || code > 0x10FFFF ||
        (code >= 0xD800 && code <= 0xDFFF)) {
        *code_out = DTX_UTF8_STRAY + lead;
        return 1;
    }
    *code_out = code;
    return length;
}

int
dtx_utf8_width(uint32_t code)
{
    static const struct {
        uint32_t first;
        uint32_t last;
        int width;
    } ranges[] = {
        {0x0300, 0x036F, 0},   {0x1100, 0x115F, 2},   {0x200B, 0x200F, 0},
        {0x20D0, 0x20FF, 0},   {0x2E80, 0x303E, 2},   {0x3041, 0xA4CF, 2},
        {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2},   {0xFE00, 0xFE0F, 0},
        {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},   {0xFFE0, 0xFFE6, 2},
        {0x1F300, 0x1F64F, 2}, {0x1F680, 0x1F6FF, 2}, {0x1F900, 0x1F9FF, 2},
        {0x20000, 0x3FFFD, 2},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) {
            return ranges[i].width;
        }
    }
    return 1;
}

bool
dtx_utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 ||
           code == 0x2029 || code == 0xFEFF ||
           (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) ||
           (code >= 0xD800 && code < 0xE000);
}

static char
shown_as(uint32_t code, char line_feed)
{
    if (code == '\t') {
        return ' ';
    }
    return code == '\n' ? line_feed : '?';
}

size_t
dtx_utf8_clean(char *string, char line_feed)
{
    char *to = string;

    for (const char *from = string; *from != '\0';) {
        uint32_t code;
        size_t length = dtx_utf8_decode(from, &code);

        if (dtx_utf8_is_control(code)) {
            *to++ = shown_as(code, line_feed);
        } else {
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    *to = '\0';
    return (size_t)(to - string);
}
