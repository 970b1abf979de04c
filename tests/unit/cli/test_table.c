#include <criterion/criterion.h>

#include "table.h"

/* Draws a table of two columns. */
static void
assert_draws(const char *alignment, const char *const *cells, int count,
             int marked, const char *expected)
{
    struct dtx_text text = {0};
    struct table table;

    table_begin(&table, alignment);
    for (int i = 0; i < count; i++) {
        table_add(&table, cells[i]);
    }
    table_draw(&table, marked, &text);
    cr_assert_not(text.failed);
    cr_assert_str_eq(text.data, expected);
    dtx_text_finish(&text);
}

Test(table, columns_are_as_wide_as_their_widest_cell)
{
    const char *cells[] = {"name", "size", "longer name", "1"};

    assert_draws("lr", cells, 4, 0,
                 "  name         size\n"
                 "  longer name     1\n");
}

Test(table, a_marked_row_has_a_star)
{
    const char *cells[] = {"a", "b", "c", "d"};

    assert_draws("ll", cells, 4, 2,
                 "  a  b\n"
                 "* c  d\n");
}

Test(table, lines_end_without_blanks)
{
    const char *cells[] = {"a", "", "b", "cc"};

    assert_draws("lr", cells, 4, 0,
                 "  a\n"
                 "  b  cc\n");
}

Test(table, widths_count_columns_of_the_terminal)
{
    const char *cells[] = {"\xc3\xa9t\xc3\xa9", "x", "abcd", "y"};

    assert_draws("ll", cells, 4, 0,
                 "  \xc3\xa9t\xc3\xa9   x\n"
                 "  abcd  y\n");
}

Test(table, what_would_move_the_cursor_is_shown_as_a_question_mark)
{
    const char *cells[] = {"a\033[1mb\n", "\xff"};

    assert_draws("ll", cells, 2, 0, "  a?[1mb?  ?\n");
}
