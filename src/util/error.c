#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Formats into a field of an error. What doesn't fit is cut between two code
 * points and ends in dots. The arguments may point into the error itself. */
static void
format_field(char *field, size_t size, const char *format, va_list args)
{
    char text[sizeof((struct dtx_error *)0)->message];
    int length = vsnprintf(text, size, format, args);
    size_t end;

    if (length < 0) {
        text[0] = '\0';
    } else if ((size_t)length >= size) {
        end = size - sizeof "...";
        while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80) {
            end--;
        }
        memcpy(text + end, "...", sizeof "...");
    }
    memcpy(field, text, strlen(text) + 1);
}

enum dtx_status
dtx_error_set(struct dtx_error *err, enum dtx_status status, const char *format,
              ...)
{
    char message[sizeof err->message];
    va_list args;

    va_start(args, format);
    format_field(message, sizeof message, format, args);
    va_end(args);
    memset(err, 0, sizeof *err);
    err->status = status;
    err->process = -1;
    memcpy(err->message, message, strlen(message) + 1);
    return status;
}

void
dtx_error_hint(struct dtx_error *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    format_field(err->hint, sizeof err->hint, format, args);
    va_end(args);
}

void
dtx_error_tensor(struct dtx_error *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    format_field(err->tensor, sizeof err->tensor, format, args);
    va_end(args);
}

void
dtx_error_where(struct dtx_error *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    format_field(err->where, sizeof err->where, format, args);
    va_end(args);
}

enum dtx_status
dtx_error_memory(struct dtx_error *err)
{
    return dtx_error_set(err, DTX_ERR_LIMIT, "out of memory");
}
