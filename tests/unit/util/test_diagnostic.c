#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "util/alloc.h"
#include "util/diagnostic.h"

static const char layout[] = "mesh: {dp: 2, tp: 4}\n"
                             "tensors:\n"
                             "  - name: \"**\"\n"
                             "    placements: {tpp: shard(0)}\n";

static void
assert_draws(const struct dtx_diagnostic *diagnostic, const char *expected)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    char *drawing;

    dtx_diagnostics_add(list, diagnostic);
    drawing = dtx_diagnostics_draw(list);
    cr_assert_str_eq(drawing, expected);
    dtx_string_free(drawing);
    dtx_diagnostics_destroy(list);
}

Test(diagnostic, it_shows_what_where_and_help)
{
    assert_draws(
        &(struct dtx_diagnostic){
            .severity = DTX_SEVERITY_ERROR,
            .code = "E012",
            .file = "train.yaml",
            .text = layout,
            .mark = {4, 18, 3},
            .message = "the mesh has no axis 'tpp'",
            .label = "not an axis",
            .second_mark = {1, 7, 14},
            .second_label = "the mesh",
            .help = "did you mean 'tp'?",
        },
        "error[E012]: the mesh has no axis 'tpp'\n"
        " --> train.yaml:4:18\n"
        "  |\n"
        "1 | mesh: {dp: 2, tp: 4}\n"
        "  |       -------------- the mesh\n"
        "...\n"
        "4 |     placements: {tpp: shard(0)}\n"
        "  |                  ^^^ not an axis\n"
        "  = help: did you mean 'tp'?\n");
}

Test(diagnostic, of_none_an_empty_text_is_drawn)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    char *drawing = dtx_diagnostics_draw(list);

    cr_assert_str_eq(drawing, "");
    dtx_string_free(drawing);
    dtx_diagnostics_destroy(list);
}

Test(diagnostic, two_places_in_one_line_share_it)
{
    assert_draws(&(struct dtx_diagnostic){.code = "E003",
                                          .file = "a.yaml",
                                          .text = "mesh: {tp: 1, tp: 2}",
                                          .mark = {1, 15, 2},
                                          .message = "'tp' is given twice",
                                          .second_mark = {1, 8, 2},
                                          .second_label = "first here"},
                 "error[E003]: 'tp' is given twice\n"
                 " --> a.yaml:1:15\n"
                 "  |\n"
                 "1 | mesh: {tp: 1, tp: 2}\n"
                 "  |               ^^\n"
                 "  |        -- first here\n");
}

Test(diagnostic, what_is_not_given_is_left_out)
{
    assert_draws(&(struct dtx_diagnostic){.severity = DTX_SEVERITY_WARNING,
                                          .message = "nothing matches"},
                 "warning: nothing matches\n");
    assert_draws(&(struct dtx_diagnostic){.file = "a.yaml",
                                          .message = "the file is empty"},
                 "error: the file is empty\n"
                 " --> a.yaml\n");
}

Test(diagnostic, the_gutter_is_as_wide_as_the_line_number)
{
    char text[400] = "";

    for (int i = 1; i < 120; i++) {
        strcat(text, "#\n");
    }
    strcat(text, "mash: 1");
    assert_draws(&(struct dtx_diagnostic){.file = "a.yaml",
                                          .text = text,
                                          .mark = {120, 1, 4},
                                          .message = "unknown key",
                                          .help = "h"},
                 "error: unknown key\n"
                 "   --> a.yaml:120:1\n"
                 "    |\n"
                 "120 | mash: 1\n"
                 "    | ^^^^\n"
                 "    = help: h\n");
}

Test(diagnostic, tabs_and_wide_characters_keep_the_carets_in_place)
{
    assert_draws(&(struct dtx_diagnostic){.file = "a.yaml",
                                          .text = "\ta\tb日é: x\r\n",
                                          .mark = {1, 8, 1},
                                          .message = "m"},
                 "error: m\n"
                 " --> a.yaml:1:8\n"
                 "  |\n"
                 "1 |     a   b日é: x\n"
                 "  |              ^\n");
}

Test(diagnostic, a_mark_past_the_end_points_behind_the_line)
{
    assert_draws(&(struct dtx_diagnostic){.file = "a.yaml",
                                          .text = "ab\ncd\n",
                                          .mark = {1, 3, 50},
                                          .message = "m"},
                 "error: m\n"
                 " --> a.yaml:1:3\n"
                 "  |\n"
                 "1 | ab\n"
                 "  |   ^\n");
    assert_draws(&(struct dtx_diagnostic){.file = "a.yaml",
                                          .text = "ab\n",
                                          .mark = {3, 1, 0},
                                          .message = "m"},
                 "error: m\n"
                 " --> a.yaml:3:1\n"
                 "  |\n"
                 "3 |\n"
                 "  | ^\n");
}

Test(diagnostic, of_a_long_line_the_part_around_the_mark_is_shown)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    size_t length = 100000;
    char *text = calloc(1, length + 1);
    char *drawing;

    memset(text, 'x', length);
    memcpy(text + 50000, "HERE", 4);
    dtx_diagnostics_add(list, &(struct dtx_diagnostic){.file = "a",
                                                       .text = text,
                                                       .mark = {1, 50001, 4},
                                                       .message = "m"});
    drawing = dtx_diagnostics_draw(list);
    cr_assert_lt(strlen(drawing), 400);
    /* The carets stand right below. */
    char *here = strstr(drawing, "HERE");
    char *carets = strstr(drawing, "^^^^");
    cr_assert_not_null(here);
    cr_assert_not_null(carets);
    char *line = strchr(here, '\n') + 1;
    char *line_before = here;
    while (line_before[-1] != '\n') {
        line_before--;
    }
    cr_assert_eq(here - line_before, carets - line);
    dtx_string_free(drawing);
    dtx_diagnostics_destroy(list);
    free(text);
}

Test(diagnostic, no_control_character_gets_through)
{
    assert_draws(&(struct dtx_diagnostic){.file = "a\x1B.yaml",
                                          .text = "a\x1B[2Jb\xFF",
                                          .mark = {1, 2, 1},
                                          .message = "m\x1B[0m\nn",
                                          .label = "\x07",
                                          .help = "\xC2\x9B"},
                 "error: m?[0m n\n"
                 " --> a?.yaml:1:2\n"
                 "  |\n"
                 "1 | a?[2Jb?\n"
                 "  |  ^ ?\n"
                 "  = help: ?\n");
}

Test(diagnostic, lines_are_counted_as_the_yaml_parser_counts_them)
{
    assert_draws(&(struct dtx_diagnostic){.file = "a.yaml",
                                          .text = "\xEF\xBB\xBF"
                                                  "1\r2\r\n3\xC2\x85"
                                                  "4\xE2\x80\xA8here",
                                          .mark = {5, 1, 4},
                                          .message = "m"},
                 "error: m\n"
                 " --> a.yaml:5:1\n"
                 "  |\n"
                 "5 | here\n"
                 "  | ^^^^\n");
}

Test(diagnostic, several_are_counted_and_drawn_in_order)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    char *drawing = dtx_diagnostics_draw(list);

    cr_assert_str_eq(drawing, "");
    dtx_string_free(drawing);
    dtx_diagnostics_add(list, &(struct dtx_diagnostic){.message = "one"});
    dtx_diagnostics_add(
        list, &(struct dtx_diagnostic){.severity = DTX_SEVERITY_WARNING,
                                       .message = "two"});
    drawing = dtx_diagnostics_draw(list);
    cr_assert_str_eq(drawing, "error: one\n\nwarning: two\n");
    cr_assert_eq(dtx_diagnostics_error_count(list), 1);
    cr_assert_eq(dtx_diagnostics_warning_count(list), 1);
    dtx_string_free(drawing);
    dtx_diagnostics_destroy(list);
}

Test(diagnostic, a_flood_is_counted_but_not_drawn)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    char *drawing;

    for (int i = 0; i < 10000; i++) {
        dtx_diagnostics_add(
            list, &(struct dtx_diagnostic){.message = "m", .mark.line = i});
    }
    drawing = dtx_diagnostics_draw(list);
    cr_assert_eq(dtx_diagnostics_error_count(list), 10000);
    cr_assert_lt(strlen(drawing), 10000);
    cr_assert_not_null(strstr(drawing, "\n\nand 9900 more\n"));
    dtx_string_free(drawing);
    dtx_diagnostics_destroy(list);
}

/* As of all tensors that a rule matches. */
Test(diagnostic, of_many_alike_the_first_are_drawn_and_the_others_counted)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_diagnostic one = {.code = "E201", .message = "m"};
    struct dtx_diagnostic other = {
        .code = "E211", .message = "n", .text = "line\n", .mark = {1, 1, 4}};
    char *drawing;

    for (int i = 0; i < 10; i++) {
        dtx_diagnostics_add(list, &one);
        dtx_diagnostics_add(list, &other);
    }
    other.mark.column = 2;
    dtx_diagnostics_add(list, &other);
    drawing = dtx_diagnostics_draw(list);
    cr_assert_eq(dtx_diagnostics_error_count(list), 21);
#define ONE "error[E201]: m\n"
#define OTHER "\nerror[E211]: n\n  |\n1 | line\n  | ^^^^\n"
    cr_assert_str_eq(drawing, ONE OTHER "\n" ONE OTHER "\n" ONE
                                        "  = and 7 more like this\n" OTHER
                                        "  = and 7 more like this\n"
                                        "\nerror[E211]: n\n  |\n1 | line\n"
                                        "  |  ^^^\n");
    dtx_string_free(drawing);
    dtx_diagnostics_destroy(list);
}

Test(diagnostic, without_memory_there_is_no_drawing)
{
    struct dtx_diagnostics *list;

    dtx_alloc_fail_after(0);
    cr_assert_null(dtx_diagnostics_create());
    dtx_alloc_fail_after(1);
    list = dtx_diagnostics_create();
    dtx_diagnostics_add(list, &(struct dtx_diagnostic){.message = "m"});
    dtx_alloc_fail_after(-1);
    cr_assert_eq(dtx_diagnostics_error_count(list), 1);
    cr_assert_null(dtx_diagnostics_draw(list));
    dtx_diagnostics_destroy(list);
    dtx_diagnostics_destroy(NULL);
}

/* A random text of letters, wide characters, tabs, breaks, controls and stray
 * bytes. */
static void
random_text(struct random *random, char *text, int pieces)
{
    static const char *const piece[] = {
        "a",    "b: ",          "\t",           "\n",
        "\r\n", "\xC3\xA9",     "\xE6\x97\xA5", "\x1B[2J",
        "\xFF", "\xE2\x80\xA8", "\xCC\x81"};

    text[0] = '\0';
    while (pieces-- > 0) {
        uint64_t choice = random_below(random, 30);

        strcat(text, piece[choice < 11 ? choice : 0]);
    }
}

/* Whatever the text and the marks, each line drawn belongs to the frame, and
 * no control character but the line breaks is in it. */
Test(diagnostic, no_text_breaks_the_frame)
{
    struct random random = random_begin();

    for (int round = 0; round < 2000; round++) {
        struct dtx_diagnostics *list = dtx_diagnostics_create();
        char text[4000];
        struct dtx_mark marks[2];
        char *drawing;

        random_text(&random, text, (int)random_below(&random, 600));
        for (int i = 0; i < 2; i++) {
            marks[i].line = (int)random_below(&random, 12);
            marks[i].column = 1 + (int)random_below(&random, 300);
            marks[i].length = (int)random_below(&random, 100);
        }
        dtx_diagnostics_add(list,
                            &(struct dtx_diagnostic){.file = "f",
                                                     .text = text,
                                                     .mark = marks[0],
                                                     .message = text,
                                                     .label = text,
                                                     .second_mark = marks[1],
                                                     .second_label = text,
                                                     .help = text});
        drawing = dtx_diagnostics_draw(list);
        for (char *line = drawing; *line != '\0';
             line = strchr(line, '\n') + 1) {
            size_t number = strspn(line, " 0123456789");

            cr_assert(strncmp(line, "error: ", 7) == 0 ||
                          strncmp(line, "...\n", 4) == 0 ||
                          strncmp(line + number, "--> f", 5) == 0 ||
                          strncmp(line + number, "= help: ", 8) == 0 ||
                          strncmp(line + number, "|\n", 2) == 0 ||
                          strncmp(line + number, "| ", 2) == 0,
                      "%s", drawing);
        }
        for (char *c = drawing; *c != '\0'; c++) {
            cr_assert((unsigned char)*c >= ' ' || *c == '\n');
        }
        dtx_string_free(drawing);
        dtx_diagnostics_destroy(list);
    }
}
