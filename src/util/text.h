/*
 * Text builder. `= {0}` is empty; text.data is NULL or NUL-terminated.
 * Out of memory is remembered (failed), so that callers check once.
 */
#ifndef DTX_UTIL_TEXT_H
#define DTX_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

struct dtx_text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
};

void dtx_text_add(struct dtx_text *text, const char *string);
void dtx_text_add_bytes(struct dtx_text *text, const char *bytes, size_t count);
void dtx_text_format(struct dtx_text *text, const char *format, ...)
    DTX_PRINTF(2, 3);
/* Adds "[1, 2]". */
void dtx_text_list(struct dtx_text *text, const int64_t *numbers,
                   int64_t count);
/* Adds a string in double quotes, escaped so that YAML reads it back. */
void dtx_text_quote(struct dtx_text *text, const char *string);
void dtx_text_finish(struct dtx_text *text);

#endif
