#include "table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
#include "util/size.h"
#include "util/utf8.h"

enum { CELL_TEXT = 1024, GAP = 2 };

void
table_begin(struct table *table, const char *alignment)
{
    *table = (struct table){.alignment = alignment,
                            .column_count = (int)strlen(alignment)};
}

/* The columns that a cell takes. */
static int
width_of(const char *cell)
{
    int width = 0;

    while (*cell != '\0') {
        uint32_t code;

        cell += dtx_utf8_decode(cell, &code);
        width += dtx_utf8_width(code);
    }
    return width;
}

void
table_add(struct table *table, const char *cell)
{
    size_t column = table->cell_count % (size_t)table->column_count;
    char *copy = dtx_arena_string(&table->arena, cell);
    int width;

    if (copy == NULL || dtx_grow(&table->cells, table->cell_count,
                                 &table->capacity, sizeof(char *)) != 0) {
        table->has_failed = true;
        return;
    }
    dtx_utf8_clean(copy, '?');
    width = width_of(copy);
    table->cells[table->cell_count++] = copy;
    if (width > table->widths[column]) {
        table->widths[column] = width;
    }
}

void
table_format(struct table *table, const char *format, ...)
{
    char cell[CELL_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(cell, sizeof(cell), format, args);
    va_end(args);
    table_add(table, cell);
}

void
table_add_count(struct table *table, int64_t count)
{
    table_format(table, "%" PRId64, count);
}

void
table_add_bytes(struct table *table, uint64_t bytes)
{
    char cell[DTX_SIZE_TEXT];

    table_add(table, bytes == 0 ? "-" : dtx_size_format(bytes, cell));
}

/* Ends a line without blanks, which an empty last cell leaves. */
static void
end_line(struct dtx_text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == ' ') {
        text->length--;
    }
    dtx_text_add(text, "\n");
}

static void
draw_cell(const struct table *table, size_t index, struct dtx_text *text)
{
    size_t column = index % (size_t)table->column_count;
    bool is_last = column + 1 == (size_t)table->column_count;
    const char *cell = table->cells[index];
    int padding = table->widths[column] - width_of(cell);

    if (table->alignment[column] == 'r') {
        dtx_text_format(text, "%*s%s", padding, "", cell);
    } else {
        dtx_text_format(text, "%s%*s", cell, is_last ? 0 : padding, "");
    }
    if (is_last) {
        end_line(text);
    } else {
        dtx_text_format(text, "%*s", GAP, "");
    }
}

void
table_draw(struct table *table, int marked, struct dtx_text *text)
{
    size_t columns = (size_t)table->column_count;

    for (size_t i = 0; i < table->cell_count; i++) {
        if (i % columns == 0) {
            bool is_marked = marked > 0 && i / columns == (size_t)marked - 1;

            dtx_text_add(text, is_marked ? "* " : "  ");
        }
        draw_cell(table, i, text);
    }
    text->failed |= table->has_failed;
    dtx_free(table->cells);
    dtx_arena_finish(&table->arena);
    *table = (struct table){0};
}
