#include "util/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
#include "util/math.h"
#include "util/utf8.h"

/* Makes room for `count` more bytes and the NUL. */
static bool
reserve(struct dtx_text *text, size_t count)
{
    size_t wanted;
    char *data;

    if (text->failed) {
        return false;
    }
    if (count < text->capacity - text->length) {
        return true;
    }
    if (dtx_add_overflows(text->length, count, &wanted) ||
        dtx_mul_overflows(wanted, (size_t)2, &wanted) ||
        dtx_add_overflows(wanted, (size_t)64, &wanted)) {
        text->failed = true;
        return false;
    }
    data = dtx_realloc(text->data, wanted, 1);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = wanted;
    return true;
}

void
dtx_text_add(struct dtx_text *text, const char *string)
{
    dtx_text_add_bytes(text, string, strlen(string));
}

void
dtx_text_add_bytes(struct dtx_text *text, const char *bytes, size_t count)
{
    if (!reserve(text, count)) {
        return;
    }
    if (count > 0) {
        memcpy(text->data + text->length, bytes, count);
    }
    text->length += count;
    text->data[text->length] = '\0';
}

void
dtx_text_format(struct dtx_text *text, const char *format, ...)
{
    va_list args;
    va_list again;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    if (length < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

void
dtx_text_list(struct dtx_text *text, const int64_t *numbers, int64_t count)
{
    int64_t i;

    dtx_text_add(text, "[");
    for (i = 0; i < count; i++) {
        dtx_text_format(text, "%s%" PRId64, i > 0 ? ", " : "", numbers[i]);
    }
    dtx_text_add(text, "]");
}

/* Whether YAML wants a code point escaped: what isn't printable, and what its
 * 1.1 readers take for a line break. */
static bool
needs_escape(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 ||
           code == 0x2029 || code == 0xFEFF || (code & 0xFFFE) == 0xFFFE ||
           (code >= 0xD800 && code < 0xE000);
}

static void
add_escape(struct dtx_text *text, uint32_t code)
{
    if (code == '\n') {
        dtx_text_add(text, "\\n");
    } else if (code == '\t') {
        dtx_text_add(text, "\\t");
    } else if (code >= DTX_UTF8_STRAY && code < DTX_UTF8_STRAY + 0x100) {
        dtx_text_format(text, "\\x%02X", (unsigned)(code - DTX_UTF8_STRAY));
    } else if (code < 0x100) {
        dtx_text_format(text, "\\x%02X", (unsigned)code);
    } else if (code < 0x10000) {
        dtx_text_format(text, "\\u%04X", (unsigned)code);
    } else {
        dtx_text_format(text, "\\U%08X", (unsigned)code);
    }
}

void
dtx_text_quote(struct dtx_text *text, const char *string)
{
    uint32_t code;
    size_t length;

    dtx_text_add_bytes(text, "\"", 1);
    for (; *string != '\0'; string += length) {
        length = dtx_utf8_decode(string, &code);
        if (needs_escape(code)) {
            add_escape(text, code);
            continue;
        }
        if (code == '"' || code == '\\') {
            dtx_text_add_bytes(text, "\\", 1);
        }
        dtx_text_add_bytes(text, string, length);
    }
    dtx_text_add_bytes(text, "\"", 1);
}

void
dtx_text_finish(struct dtx_text *text)
{
    dtx_free(text->data);
    *text = (struct dtx_text){0};
}
