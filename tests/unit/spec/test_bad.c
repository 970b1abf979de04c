/*
 * Each kind of mistake has a file in tests/data/bad, and beside it what is
 * drawn for it. Files are read as sources; those whose name begins with
 * "target-" as targets, with "table-" as tensor tables, with "machine-" as
 * machine files. With DTX_UPDATE_DRAWINGS set, the drawings are written anew.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dtx/machine.h>

#include "fixture.h"

static char *
draw_machine(const char *file)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_error err = {0};
    struct dtx_machine machine = {0};
    char *drawing;

    cr_expect_eq(dtx_machine_load(file, list, &machine, &err), DTX_ERR_INVALID,
                 "%s", file);
    cr_expect_eq(machine.read_rate, 0, "%s", file);
    drawing = dtx_diagnostics_draw(list);
    dtx_diagnostics_destroy(list);
    return drawing;
}

static char *
draw_table(const char *file)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_error err = {0};
    struct dtx_catalog *catalog = NULL;
    struct parsed parsed;
    char text[512];
    char *drawing;

    snprintf(text, sizeof text,
             "checkpoint: {path: a.h5}\ntensors: []\ncatalog: %s\n", file);
    parsed = parse_right(text);
    cr_expect_eq(dtx_catalog_load_table(parsed.layout, list, &catalog, &err),
                 DTX_ERR_INVALID, "%s", file);
    drawing = dtx_diagnostics_draw(list);
    dtx_diagnostics_destroy(list);
    parsed_finish(&parsed);
    return drawing;
}

static char *
draw_layout(const char *file)
{
    enum dtx_role role =
        strncmp(file, "target-", 7) == 0 ? DTX_TARGET : DTX_SOURCE;
    struct parsed parsed = load_as(file, role);

    cr_expect_eq(parsed.status,
                 parsed.error_count > 0 ? DTX_ERR_INVALID : DTX_OK, "%s", file);
    cr_expect_eq(parsed.layout != NULL, parsed.error_count == 0, "%s", file);
    dtx_layout_destroy(parsed.layout);
    return parsed.drawing;
}

static char *
draw(const char *file)
{
    if (strncmp(file, "table-", 6) == 0) {
        return draw_table(file);
    }
    return strncmp(file, "machine-", 8) == 0 ? draw_machine(file)
                                             : draw_layout(file);
}

static void
write_drawing(const char *path, const char *drawing)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    fputs(drawing, file);
    fclose(file);
}

static void
check_file(const char *name)
{
    char expected_name[512];
    char *drawing = draw(name);
    char *expected;

    snprintf(expected_name, sizeof expected_name, "%.*s.txt",
             (int)strlen(name) - 5, name);
    if (getenv("DTX_UPDATE_DRAWINGS") != NULL) {
        write_drawing(expected_name, drawing);
    }
    expected = read_file(expected_name);
    cr_expect(
        expected != NULL && drawing != NULL && strcmp(expected, drawing) == 0,
        "%s is drawn as\n%s\nbut expected is\n%s", name, drawing, expected);
    free(expected);
    dtx_string_free(drawing);
}

static bool
ends_with(const char *name, const char *end)
{
    size_t length = strlen(name);

    return length > strlen(end) &&
           strcmp(name + length - strlen(end), end) == 0;
}

Test(spec, each_mistake_is_drawn_as_expected)
{
    DIR *folder;
    struct dirent *entry;
    int count = 0;

    cr_assert_eq(chdir(TEST_DATA "/bad"), 0);
    folder = opendir(".");
    cr_assert_not_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (ends_with(entry->d_name, ".yaml")) {
            check_file(entry->d_name);
            count++;
        }
    }
    closedir(folder);
    cr_expect_gt(count, 100);
}

/* All drawings, one after another. */
static char *
read_drawings(void)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    char *all = calloc(1, 1);

    while ((entry = readdir(folder)) != NULL) {
        char *drawing =
            ends_with(entry->d_name, ".txt") ? read_file(entry->d_name) : NULL;

        if (drawing != NULL) {
            all = realloc(all, strlen(all) + strlen(drawing) + 1);
            strcat(all, drawing);
            free(drawing);
        }
    }
    closedir(folder);
    return all;
}

Test(spec, each_code_has_a_file)
{
    char *codes = read_file(SPEC_CODES);
    char *drawings;
    int count = 0;

    cr_assert_not_null(codes);
    cr_assert_eq(chdir(TEST_DATA "/bad"), 0);
    drawings = read_drawings();
    for (char *line = strtok(codes, "\n"); line != NULL;
         line = strtok(NULL, "\n")) {
        char *quote = strchr(line, '"');
        char code[8];

        if (strncmp(line, "#define SPEC_", 13) != 0 || quote == NULL) {
            continue;
        }
        snprintf(code, sizeof code, "[%.4s]", quote + 1);
        cr_expect_not_null(strstr(drawings, code), "no file shows %s", line);
        count++;
    }
    cr_expect_gt(count, 50);
    free(codes);
    free(drawings);
}
