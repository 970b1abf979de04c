#include "util/diagnostic_draw.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/utf8.h"

enum {
    TAB_COLUMNS = 4,
    LINE_COLUMNS = 100, /* of a source line; of longer ones a part is shown */
    LEAD_COLUMNS = 40,  /* what is shown of a long line before a mark */
};

/* A line of the source and the part of it that is shown, in columns. */
struct view {
    const char *begin;
    const char *end;
    int64_t from;
    int64_t to;
};

/* A mark with how it is drawn. */
struct pointer {
    struct dtx_mark mark;
    char sign;
    const char *label;
};

/* Adds columns of blanks or of carets. */
static void
add_run(struct dtx_text *out, char sign, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        dtx_text_add_bytes(out, &sign, 1);
    }
}

/* Adds text that came from outside. */
static void
add_clean(struct dtx_text *out, const char *string)
{
    size_t begin = out->length;

    dtx_text_add(out, string);
    if (!out->failed) {
        out->length = begin + dtx_utf8_clean(out->data + begin, ' ');
    }
}

/* The length of the line break at `at`, or 0. YAML 1.1 knows more of them
 * than editors do, and its parser counts lines by them. */
static size_t
break_length(const char *at)
{
    if (at[0] == '\r') {
        return at[1] == '\n' ? 2 : 1;
    }
    if (at[0] == '\n') {
        return 1;
    }
    if (at[0] == '\xC2' && at[1] == '\x85') {
        return 2;
    }
    return strncmp(at, "\xE2\x80\xA8", 3) == 0 ||
                   strncmp(at, "\xE2\x80\xA9", 3) == 0
               ? 3
               : 0;
}

static const char *
line_end(const char *at)
{
    while (*at != '\0' && break_length(at) == 0) {
        at++;
    }
    return at;
}

/* Finds a line, 1-based; false where the text has no such line. */
static bool
find_line(const char *text, int line, struct view *view)
{
    const char *at = text;

    if (strncmp(at, "\xEF\xBB\xBF", 3) == 0) {
        at += 3;
    }
    for (int i = 1; i < line; i++) {
        at = line_end(at);
        if (*at == '\0') {
            return false;
        }
        at += break_length(at);
    }
    view->begin = at;
    view->end = line_end(at);
    return true;
}

/* The columns that a code point takes when it stands at `column`. */
static int
columns_of(uint32_t code, int64_t column)
{
    if (code == '\t') {
        return (int)(TAB_COLUMNS - column % TAB_COLUMNS);
    }
    return dtx_utf8_is_control(code) ? 1 : dtx_utf8_width(code);
}

/* The terminal column at which the code point `index` of a line begins; past
 * the line's end, the column of its end. */
static int64_t
column_of(const struct view *view, int64_t index)
{
    const char *at = view->begin;
    int64_t column = 0;

    for (int64_t i = 0; i < index && at < view->end; i++) {
        uint32_t code;

        at += dtx_utf8_decode(at, &code);
        column += columns_of(code, column);
    }
    return column;
}

/* Chooses the part of the line that is shown: all, or what is around a mark. */
static void
choose_part(struct view *view, const struct dtx_mark *mark)
{
    int64_t width = column_of(view, INT64_MAX);

    view->from = 0;
    view->to = width;
    if (width > LINE_COLUMNS) {
        view->from = column_of(view, mark->column - 1) - LEAD_COLUMNS;
        if (view->from > width - LINE_COLUMNS) {
            view->from = width - LINE_COLUMNS;
        }
        if (view->from < 0) {
            view->from = 0;
        }
        view->to = view->from + LINE_COLUMNS;
    }
}

/* Adds the shown part; a character that is cut by its edge is left out. */
static void
add_source(struct dtx_text *out, const struct view *view)
{
    int64_t column = 0;
    uint32_t code;
    size_t length;

    for (const char *at = view->begin; at < view->end && column < view->to;
         at += length) {
        int width;

        length = dtx_utf8_decode(at, &code);
        width = columns_of(code, column);
        column += width;
        if (column <= view->from) {
            continue;
        }
        if (column - width < view->from || column > view->to || code == '\t') {
            add_run(out, ' ',
                    (column < view->to ? column : view->to) -
                        (column - width > view->from ? column - width
                                                     : view->from));
        } else if (dtx_utf8_is_control(code)) {
            dtx_text_add_bytes(out, "?", 1);
        } else {
            dtx_text_add_bytes(out, at, length);
        }
    }
}

static void
add_gutter(struct dtx_text *out, int gutter, int line)
{
    if (line > 0) {
        dtx_text_format(out, "%*d |", gutter, line);
    } else {
        dtx_text_format(out, "%*s |", gutter, "");
    }
}

static void
add_source_line(struct dtx_text *out, int gutter, int line,
                const struct view *view)
{
    bool is_cut =
        view->end > view->begin && column_of(view, INT64_MAX) > view->to;

    add_gutter(out, gutter, line);
    if (view->end > view->begin) {
        dtx_text_add(out, view->from > 0 ? " ..." : " ");
        add_source(out, view);
        dtx_text_add(out, is_cut ? "..." : "");
    }
    dtx_text_add(out, "\n");
}

/* Adds the line of carets and their label. */
static void
add_pointer(struct dtx_text *out, int gutter, const struct view *view,
            const struct pointer *pointer)
{
    int64_t index = pointer->mark.column - 1;
    int64_t from = column_of(view, index);
    int64_t to = column_of(view, index + pointer->mark.length);

    if (from < view->from) {
        from = view->from;
    }
    if (to > view->to) {
        to = view->to;
    }
    add_gutter(out, gutter, 0);
    dtx_text_add(out, view->from > 0 ? "    " : " ");
    add_run(out, ' ', from - view->from);
    add_run(out, pointer->sign, to > from ? to - from : 1);
    if (pointer->label != NULL) {
        dtx_text_add(out, " ");
        add_clean(out, pointer->label);
    }
    dtx_text_add(out, "\n");
}

/* Adds a line with one mark, or with both where they share it. */
static void
add_place(struct dtx_text *out, int gutter, const char *text,
          const struct pointer *pointers, int count)
{
    struct view view;

    if (!find_line(text, pointers[0].mark.line, &view)) {
        /* A mistake at the very end, behind the last line break. */
        view = (struct view){.begin = "", .end = ""};
        view.end = view.begin;
    }
    choose_part(&view, &pointers[0].mark);
    add_source_line(out, gutter, pointers[0].mark.line, &view);
    for (int i = 0; i < count; i++) {
        add_pointer(out, gutter, &view, &pointers[i]);
    }
}

static int
digit_count(int number)
{
    char text[16];

    return snprintf(text, sizeof text, "%d", number);
}

/* Adds the source lines, in the order of the file. */
static void
add_places(struct dtx_text *out, int gutter,
           const struct dtx_diagnostic *diagnostic)
{
    struct pointer first = {diagnostic->mark, '^', diagnostic->label};
    struct pointer second = {diagnostic->second_mark, '-',
                             diagnostic->second_label};
    struct pointer both[2] = {first, second};
    int distance = second.mark.line - first.mark.line;

    add_gutter(out, gutter, 0);
    dtx_text_add(out, "\n");
    if (second.mark.line <= 0) {
        add_place(out, gutter, diagnostic->text, both, 1);
        return;
    }
    if (distance == 0) {
        add_place(out, gutter, diagnostic->text, both, 2);
        return;
    }
    if (distance < 0) {
        both[0] = second;
        both[1] = first;
    }
    add_place(out, gutter, diagnostic->text, &both[0], 1);
    if (distance < -1 || distance > 1) {
        dtx_text_add(out, "...\n");
    }
    add_place(out, gutter, diagnostic->text, &both[1], 1);
}

int
dtx_diagnostic_gutter(const struct dtx_diagnostic *diagnostic)
{
    int line = diagnostic->mark.line, second = diagnostic->second_mark.line;

    return digit_count(line > second ? line : second);
}

void
dtx_diagnostic_draw(struct dtx_text *out,
                    const struct dtx_diagnostic *diagnostic)
{
    const struct dtx_mark *mark = &diagnostic->mark;
    const char *severity =
        diagnostic->severity == DTX_SEVERITY_ERROR ? "error" : "warning";
    int gutter = dtx_diagnostic_gutter(diagnostic);

    dtx_text_add(out, severity);
    if (diagnostic->code != NULL) {
        dtx_text_format(out, "[%s]", diagnostic->code);
    }
    dtx_text_add(out, ": ");
    add_clean(out, diagnostic->message != NULL ? diagnostic->message : "");
    dtx_text_add(out, "\n");
    if (diagnostic->file != NULL) {
        dtx_text_format(out, "%*s--> ", gutter, "");
        add_clean(out, diagnostic->file);
        if (mark->line > 0) {
            dtx_text_format(out, ":%d:%d", mark->line, mark->column);
        }
        dtx_text_add(out, "\n");
    }
    if (diagnostic->text != NULL && mark->line > 0) {
        add_places(out, gutter, diagnostic);
    }
    if (diagnostic->help != NULL) {
        dtx_text_format(out, "%*s = help: ", gutter, "");
        add_clean(out, diagnostic->help);
        dtx_text_add(out, "\n");
    }
}
