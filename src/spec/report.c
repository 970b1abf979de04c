#include "spec/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/suggest.h"
#include "util/text.h"

enum { LINE_BYTES_MAX = 1 << 20 };

static const char *
format_in_arena(struct spec_report *report, const char *format, va_list args)
{
    va_list again;
    int length;
    char *string = NULL;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length >= 0) {
        string = dtx_arena_alloc(&report->arena, (size_t)length + 1, 1);
    }
    if (string == NULL) {
        report->failed = true;
        return "";
    }
    vsnprintf(string, (size_t)length + 1, format, args);
    return string;
}

const char *
spec_format(struct spec_report *report, const char *format, ...)
{
    const char *string;
    va_list args;

    va_start(args, format);
    string = format_in_arena(report, format, args);
    va_end(args);
    return string;
}

static struct dtx_diagnostic *
add(struct spec_report *report, const struct dtx_diagnostic *diagnostic)
{
    report->spare = *diagnostic;
    if (report->failed) {
        return &report->spare;
    }
    if (report->count == SPEC_REPORT_MAX) {
        report->extra_count++;
        return &report->spare;
    }
    if (dtx_grow(&report->items, report->count, &report->capacity,
                 sizeof *report->items) != 0) {
        report->failed = true;
        return &report->spare;
    }
    report->items[report->count] = *diagnostic;
    return &report->items[report->count++];
}

static struct dtx_diagnostic *
add_formatted(struct spec_report *report, struct dtx_diagnostic *diagnostic,
              const char *format, va_list args)
{
    diagnostic->file = report->file;
    diagnostic->text = report->text;
    diagnostic->message = format_in_arena(report, format, args);
    return add(report, diagnostic);
}

struct dtx_diagnostic *
spec_error(struct spec_report *report, const char *code, struct dtx_mark mark,
           const char *format, ...)
{
    struct dtx_diagnostic diagnostic = {
        .severity = DTX_SEVERITY_ERROR, .code = code, .mark = mark};
    struct dtx_diagnostic *added;
    va_list args;

    report->error_count++;
    va_start(args, format);
    added = add_formatted(report, &diagnostic, format, args);
    va_end(args);
    return added;
}

struct dtx_diagnostic *
spec_warning(struct spec_report *report, const char *code, struct dtx_mark mark,
             const char *format, ...)
{
    struct dtx_diagnostic diagnostic = {
        .severity = DTX_SEVERITY_WARNING, .code = code, .mark = mark};
    struct dtx_diagnostic *added;
    va_list args;

    va_start(args, format);
    added = add_formatted(report, &diagnostic, format, args);
    va_end(args);
    return added;
}

const char *
spec_did_you_mean(struct spec_report *report, const char *word,
                  const char *const *known, int count)
{
    const char *close = dtx_suggest(word, known, count);
    struct dtx_text text = {0};
    const char *result;

    if (close != NULL) {
        return spec_format(report, "did you mean '%s'?", close);
    }
    if (count == 0) {
        return NULL;
    }
    dtx_text_add(&text, count == 1 ? "known is " : "known are ");
    for (int i = 0; i < count; i++) {
        dtx_text_format(&text, "%s'%s'",
                        i == 0           ? ""
                        : i == count - 1 ? " and "
                                         : ", ",
                        known[i]);
    }
    report->failed = report->failed || text.failed;
    result = text.failed ? NULL : spec_format(report, "%s", text.data);
    dtx_text_finish(&text);
    return result;
}

static int
compare_places(const void *a, const void *b)
{
    const struct dtx_mark *first = &((const struct dtx_diagnostic *)a)->mark;
    const struct dtx_mark *second = &((const struct dtx_diagnostic *)b)->mark;

    if (first->line != second->line) {
        return first->line < second->line ? -1 : 1;
    }
    if (first->column != second->column) {
        return first->column < second->column ? -1 : 1;
    }
    return 0;
}

/* True where a line is so long that a hundred drawings of it would take more
 * than a moment, and show little. */
static bool
has_endless_line(const char *text)
{
    const char *at = text;

    while (*at != '\0') {
        size_t length = strcspn(at, "\n");

        if (length > LINE_BYTES_MAX) {
            return true;
        }
        at += length + (at[length] == '\n');
    }
    return false;
}

enum dtx_status
spec_report_status(const struct spec_report *report, struct dtx_error *err)
{
    if (report->failed) {
        return dtx_error_memory(err);
    }
    if (report->error_count > 0) {
        return dtx_error_set(err, DTX_ERR_INVALID, "'%s' has %d mistake%s",
                             report->file, report->error_count,
                             report->error_count == 1 ? "" : "s");
    }
    return DTX_OK;
}

void
spec_report_deliver(struct spec_report *report, struct dtx_diagnostics *list)
{
    bool is_endless = report->count > 0 && has_endless_line(report->text);

    if (report->count > 0) {
        qsort(report->items, report->count, sizeof *report->items,
              compare_places);
    }
    for (size_t i = 0; i < report->count; i++) {
        if (is_endless) {
            report->items[i].text = NULL;
        }
        dtx_diagnostics_add(list, &report->items[i]);
    }
    for (size_t i = 0; i < report->extra_count; i++) {
        dtx_diagnostics_add(list, &report->spare);
    }
}

void
spec_report_finish(struct spec_report *report)
{
    dtx_arena_finish(&report->arena);
    dtx_free(report->items);
    report->items = NULL;
    report->count = 0;
}
