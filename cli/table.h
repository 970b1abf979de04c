/*
 * Tables of text: columns as wide as their widest cell.
 *
 * Cells are added row by row, the head first; the column of the left-most
 * cell in each row is number 0. Control characters in cells are shown as '?',
 * since names come from files and the table may stand on a terminal.
 */
#ifndef DTX_CLI_TABLE_H
#define DTX_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

#include "util/arena.h"
#include "util/text.h"

enum { TABLE_COLUMN_MAX = 8 };

struct table {
    struct dtx_arena arena;
    int column_count;
    const char *alignment; /* one of "lr" per column; borrowed */
    int widths[TABLE_COLUMN_MAX];
    char **cells; /* [cell_count], row by row */
    size_t cell_count;
    size_t capacity;
    bool has_failed; /* out of memory */
};

/* An empty table with as many columns as alignment has letters. */
void table_begin(struct table *table, const char *alignment);

void table_add(struct table *table, const char *cell);
void table_format(struct table *table, const char *format, ...)
    DTX_PRINTF(2, 3);
void table_add_count(struct table *table, int64_t count);
/* "14.96 GiB"; "-" for none. */
void table_add_bytes(struct table *table, uint64_t bytes);

/* Adds all rows to a text, each after a margin, and empties the table. The
 * row marked (from 1, 0: none) has a star in its margin. */
void table_draw(struct table *table, int marked, struct dtx_text *text);

#endif
