/*
 * A diagnostic is drawn when it is added: the list then holds its drawing and
 * not the file, however long. Of many that say the same of one place, as of
 * each tensor that a rule matches, the first few are drawn.
 */
#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
#include "util/diagnostic_draw.h"

enum {
    DRAWN_MAX = 100, /* nobody reads more, and each line takes a search */
    ALIKE_MAX = 3,   /* of one kind at one place, as of a rule's tensors */
    CODE_BYTES = 8,
};

/* Diagnostics of one kind that point at one place. */
struct alike {
    char code[CODE_BYTES];
    const char *text; /* only compared */
    int line;
    int column;
    int drawn;
    int hidden;
    size_t end; /* of the last that was drawn, in the drawing */
    int gutter;
};

struct dtx_diagnostics {
    struct dtx_text drawing;
    int error_count;
    int warning_count;
    int drawn_count;
    int hidden_count;
    int group_count;
    struct alike groups[DRAWN_MAX];
};

struct dtx_diagnostics *
dtx_diagnostics_create(void)
{
    return dtx_alloc(1, sizeof(struct dtx_diagnostics));
}

void
dtx_diagnostics_destroy(struct dtx_diagnostics *diagnostics)
{
    if (diagnostics != NULL) {
        dtx_text_finish(&diagnostics->drawing);
        dtx_free(diagnostics);
    }
}

int
dtx_diagnostics_error_count(const struct dtx_diagnostics *list)
{
    return list->error_count;
}

int
dtx_diagnostics_warning_count(const struct dtx_diagnostics *list)
{
    return list->warning_count;
}

/* The diagnostics that this one is like; NULL where it is the first. */
static struct alike *
find_alike(struct dtx_diagnostics *list, const struct dtx_diagnostic *d)
{
    const char *code = d->code != NULL ? d->code : "";

    for (int i = 0; i < list->group_count; i++) {
        struct alike *group = &list->groups[i];

        if (group->text == d->text && group->line == d->mark.line &&
            group->column == d->mark.column &&
            strncmp(group->code, code, CODE_BYTES - 1) == 0) {
            return group;
        }
    }
    return NULL;
}

/* There is room: each group has one that is drawn. */
static struct alike *
add_group(struct dtx_diagnostics *list, const struct dtx_diagnostic *d)
{
    struct alike *group = &list->groups[list->group_count++];

    *group = (struct alike){.text = d->text,
                            .line = d->mark.line,
                            .column = d->mark.column,
                            .gutter = dtx_diagnostic_gutter(d)};
    snprintf(group->code, sizeof group->code, "%s",
             d->code != NULL ? d->code : "");
    return group;
}

void
dtx_diagnostics_add(struct dtx_diagnostics *list,
                    const struct dtx_diagnostic *diagnostic)
{
    struct alike *group = find_alike(list, diagnostic);

    if (diagnostic->severity == DTX_SEVERITY_ERROR) {
        list->error_count++;
    } else {
        list->warning_count++;
    }
    if (group != NULL && group->drawn == ALIKE_MAX) {
        group->hidden++;
        list->hidden_count++;
        return;
    }
    if (list->drawn_count == DRAWN_MAX) {
        return;
    }
    if (list->drawing.length > 0) {
        dtx_text_add(&list->drawing, "\n");
    }
    dtx_diagnostic_draw(&list->drawing, diagnostic);
    group = group != NULL ? group : add_group(list, diagnostic);
    group->drawn++;
    group->end = list->drawing.length;
    list->drawn_count++;
}

/* The group that goes on behind the drawing's first `at` bytes; NULL: none. */
static const struct alike *
next_hidden(const struct dtx_diagnostics *list, size_t at)
{
    const struct alike *next = NULL;

    for (int i = 0; i < list->group_count; i++) {
        const struct alike *group = &list->groups[i];

        if (group->hidden > 0 && group->end > at &&
            (next == NULL || group->end < next->end)) {
            next = group;
        }
    }
    return next;
}

/* Adds a part of the drawing, which is NULL where nothing was drawn. */
static void
add_drawn(struct dtx_text *text, const struct dtx_text *drawing, size_t from,
          size_t to)
{
    dtx_text_add_bytes(text, from < to ? drawing->data + from : "", to - from);
}

char *
dtx_diagnostics_draw(const struct dtx_diagnostics *list)
{
    int undrawn = list->error_count + list->warning_count - list->drawn_count -
                  list->hidden_count;
    const struct alike *group;
    struct dtx_text text = {0};
    size_t at = 0;

    if (list->drawing.failed) {
        return NULL;
    }
    while ((group = next_hidden(list, at)) != NULL) {
        add_drawn(&text, &list->drawing, at, group->end);
        dtx_text_format(&text, "%*s = and %d more like this\n", group->gutter,
                        "", group->hidden);
        at = group->end;
    }
    add_drawn(&text, &list->drawing, at, list->drawing.length);
    if (undrawn > 0) {
        dtx_text_format(&text, "\nand %d more\n", undrawn);
    }
    if (text.failed) {
        dtx_text_finish(&text);
    }
    return text.data;
}

void
dtx_string_free(char *string)
{
    dtx_free(string);
}
