#include "report.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/text.h"
#include "util/utf8.h"

static bool is_speaker = true;
static bool is_quiet_now;
static bool is_error_told;
static bool has_bar;

void
report_set_speaker(bool speaks)
{
    is_speaker = speaks;
}

bool
report_speaks(void)
{
    return is_speaker;
}

void
report_set_quiet(bool is_quiet)
{
    is_quiet_now = is_quiet;
}

void
report_bar(const char *line)
{
    if (!is_speaker || (line == NULL && !has_bar)) {
        return;
    }
    /* Back to the beginning; what is left of the old line goes. */
    fprintf(stderr, "\r%s\x1b[K", line != NULL ? line : "");
    fflush(stderr);
    has_bar = line != NULL;
}

/* One line of an error, further lines of its text below the first. */
static void
add_line(struct dtx_text *text, const char *head, const char *string)
{
    if (*string == '\0') {
        return;
    }
    dtx_text_format(text, "  %-7s  ", head);
    for (; *string != '\0'; string++) {
        dtx_text_add_bytes(text, string, 1);
        if (*string == '\n') {
            dtx_text_format(text, "%11s", "");
        }
    }
    dtx_text_add(text, "\n");
}

void
report_error(const struct dtx_error *err)
{
    struct dtx_text text = {0};
    const char *message = err->message;

    if (!is_speaker || is_error_told) {
        return;
    }
    if (*message == '\0') {
        message = dtx_status_name(err->status);
    }
    report_bar(NULL);
    dtx_text_format(&text, "dtx: error: %s\n", message);
    add_line(&text, "tensor", err->tensor);
    add_line(&text, "where", err->where);
    add_line(&text, "hint", err->hint);
    if (!text.failed) {
        dtx_utf8_clean(text.data, '\n');
    }
    /* One write, so that lines of others don't come between. */
    fputs(text.failed ? "dtx: error: out of memory\n" : text.data, stderr);
    dtx_text_finish(&text);
}

void
report_error_is_told(void)
{
    is_error_told = true;
}

void
report_diagnostics(const struct dtx_diagnostics *list)
{
    bool has_errors = dtx_diagnostics_error_count(list) > 0;
    char *drawing;

    if (!is_speaker || (is_quiet_now && !has_errors)) {
        return;
    }
    drawing = dtx_diagnostics_draw(list);
    if (drawing == NULL) {
        return;
    }
    report_bar(NULL);
    fputs(drawing, stderr);
    dtx_string_free(drawing);
}

static void
say(const char *head, const char *format, va_list args)
{
    char line[1024];

    vsnprintf(line, sizeof(line), format, args);
    dtx_utf8_clean(line, '\n');
    report_bar(NULL);
    fprintf(stderr, "dtx: %s%s\n", head, line);
}

void
report_warning(const char *format, ...)
{
    va_list args;

    if (!is_speaker || is_quiet_now) {
        return;
    }
    va_start(args, format);
    say("warning: ", format, args);
    va_end(args);
}

void
report_remark(const char *format, ...)
{
    va_list args;

    if (!is_speaker) {
        return;
    }
    va_start(args, format);
    say("", format, args);
    va_end(args);
}
