#include "propose/naming.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "propose/style.h"
#include "util/error.h"

enum { DIGITS_MAX = 18 };

/* The stretch at `at`: digits, or all up to the next digit. */
static int
stretch(const char *at, bool is_number)
{
    int length = 0;

    while (at[length] != '\0' &&
           (isdigit((unsigned char)at[length]) != 0) == is_number) {
        length++;
    }
    return length;
}

static int
count_parts(const char *path)
{
    int count = 0;

    while (*path != '\0') {
        path += stretch(path, isdigit((unsigned char)*path) != 0);
        count++;
    }
    return count;
}

static void
cut(struct naming *n, const char *path)
{
    int i;

    for (i = 0; i < n->part_count; i++) {
        struct name_part *part = &n->parts[i];

        part->is_number = isdigit((unsigned char)*path) != 0;
        part->text = path;
        part->length = stretch(path, part->is_number);
        part->field = -1;
        path += part->length;
    }
}

/* Reads the numbers of a file whose name has the same text; false where it
 * doesn't. */
static bool
read_numbers(struct naming *n, int file, const char *path)
{
    int i;

    for (i = 0; i < n->part_count; i++) {
        const struct name_part *part = &n->parts[i];
        int at = file * n->part_count + i;
        int length = stretch(path, part->is_number);

        if (!part->is_number &&
            (length != part->length ||
             strncmp(path, part->text, (size_t)length) != 0)) {
            return false;
        }
        if (part->is_number && (length == 0 || length > DIGITS_MAX)) {
            return false;
        }
        n->digits[at] = length;
        n->numbers[at] = part->is_number ? strtoll(path, NULL, 10) : 0;
        path += length;
    }
    return *path == '\0';
}

static int64_t
number_at(const struct naming *n, int file, int part)
{
    return n->numbers[file * n->part_count + part];
}

int64_t
naming_number(const struct naming *n, int file, int field)
{
    return number_at(n, file, n->fields[field].part);
}

/* True where two parts have the same number in each name. */
static bool
agree(const struct naming *n, int a, int b)
{
    int file;

    for (file = 0; file < n->file_count; file++) {
        if (number_at(n, file, a) != number_at(n, file, b)) {
            return false;
        }
    }
    return true;
}

static bool
differs(const struct naming *n, int part)
{
    int file;

    for (file = 1; file < n->file_count; file++) {
        if (number_at(n, file, part) != number_at(n, 0, part)) {
            return true;
        }
    }
    return false;
}

/* The width to which a part's numbers are padded; -1 where they follow no
 * rule. */
static int
width_of(const struct naming *n, int part)
{
    int file, width = 0;

    for (file = 0; file < n->file_count; file++) {
        int at = file * n->part_count + part;
        int64_t power = 1;
        int i;

        for (i = 1; i < n->digits[at]; i++) {
            power *= 10;
        }
        if (n->digits[at] > 1 && n->numbers[at] < power) {
            width = n->digits[at]; /* it begins with a zero */
        }
    }
    for (file = 0; file < n->file_count && width > 0; file++) {
        int at = file * n->part_count + part;

        if (n->digits[at] < width) {
            return -1;
        }
    }
    return width;
}

/* ------------------------------------------------------------------ words */

/* The word of letters that ends at `end` of a text, behind separators. */
static int
word_before(const char *text, int end, int *start_out)
{
    int start;

    while (end > 0 && text[end - 1] != '/' &&
           !isalpha((unsigned char)text[end - 1])) {
        end--;
    }
    start = end;
    while (start > 0 && isalpha((unsigned char)text[start - 1])) {
        start--;
    }
    *start_out = start;
    return end - start;
}

static bool
is_rank_word(const char *word)
{
    static const char *const words[] = {"",     "rank",   "shard", "part",
                                        "file", "model",  "proc",  "process",
                                        "node", "worker", "r",     "p"};
    size_t i;

    for (i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The word that stands before a number in lower case, and if that is "rank"
 * the axis before it, as in "tp_rank_03"; "" where there is none. */
static const char *
name_of(struct naming *n, int part)
{
    const struct name_part *text = part > 0 ? &n->parts[part - 1] : NULL;
    int start = 0, length = 0, before, longer;
    char *word;
    int i;

    if (text != NULL) {
        length = word_before(text->text, text->length, &start);
        longer = word_before(text->text, start, &before);
        if (length == 4 && strncmp(text->text + start, "rank", 4) == 0 &&
            longer > 0 && longer <= 6) {
            char axis[8] = "";

            memcpy(axis, text->text + before, (size_t)longer);
            if (propose_style_of(axis) != STYLE_UNKNOWN) {
                start = before;
                length = longer;
            }
        }
    }
    word = dtx_arena_alloc(&n->arena, (size_t)length + 1, 1);
    for (i = 0; i < length && word != NULL; i++) {
        word[i] = (char)tolower((unsigned char)text->text[start + i]);
    }
    return word;
}

/* ----------------------------------------------------------------- fields */

/* True where two words are axes, and not the same. */
static bool
are_other_axes(const char *a, const char *b)
{
    return strcmp(a, b) != 0 && propose_style_of(a) != STYLE_UNKNOWN &&
           propose_style_of(b) != STYLE_UNKNOWN;
}

static enum dtx_status
add_field(struct naming *n, int part, struct dtx_error *err)
{
    const char *name = name_of(n, part);
    int width = width_of(n, part), i;

    if (name == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < n->field_count; i++) {
        if (agree(n, n->fields[i].part, part) && n->fields[i].width == width &&
            !are_other_axes(n->fields[i].axis, name)) {
            n->parts[part].field = i;
            return DTX_OK;
        }
    }
    if (width < 0) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "the numbers in the files' names are padded to "
                             "different widths");
    }
    if (n->field_count > DTX_AXIS_MAX) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "the files' names differ in more than %d numbers",
                             DTX_AXIS_MAX);
    }
    n->parts[part].field = n->field_count;
    n->fields[n->field_count++] =
        (struct name_field){.axis = name, .part = part, .width = width};
    return DTX_OK;
}

static bool
is_taken(const struct naming *n, const char *axis, int before)
{
    int i;

    for (i = 0; i < before; i++) {
        if (n->fields[i].axis != NULL && strcmp(n->fields[i].axis, axis) == 0) {
            return true;
        }
    }
    return false;
}

/* Megatron names the files of its stages mp_rank_TP_PP. */
static void
name_megatron(struct naming *n)
{
    if (n->field_count == 2 && strcmp(n->fields[0].axis, "mp") == 0 &&
        *n->fields[1].axis == '\0') {
        n->fields[0].axis = "tp";
        n->fields[1].axis = "pp";
    }
}

/* The only number is the rank where no axis is named; of several it is one
 * that says so, and what has no name gets one. -1 when out of memory. */
static int
name_fields(struct naming *n)
{
    bool has_rank = false;
    int i;

    name_megatron(n);
    for (i = 0; i < n->field_count; i++) {
        struct name_field *field = &n->fields[i];
        bool is_word = !is_rank_word(field->axis) &&
                       strcmp(field->axis, "name") != 0 &&
                       !is_taken(n, field->axis, i);

        if (n->field_count == 1
                ? propose_style_of(field->axis) == STYLE_UNKNOWN ||
                      is_rank_word(field->axis)
                : !has_rank && strcmp(field->axis, "rank") == 0) {
            field->axis = NULL;
            has_rank = true;
        } else if (n->field_count > 1 && !is_word) {
            field->axis = dtx_arena_format(&n->arena, "axis%d", i);
            if (field->axis == NULL) {
                return -1;
            }
        }
    }
    return 0;
}

static enum dtx_status
find_fields(struct naming *n, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < n->part_count && status == DTX_OK; i++) {
        if (n->parts[i].is_number && differs(n, i)) {
            status = add_field(n, i, err);
        }
    }
    if (status == DTX_OK && name_fields(n) != 0) {
        status = dtx_error_memory(err);
    }
    return status;
}

enum dtx_status
naming_find(struct naming *n, const char *const *paths, int path_count,
            struct dtx_error *err)
{
    size_t cells;
    int file;

    *n = (struct naming){.file_count = path_count,
                         .part_count = count_parts(paths[0])};
    cells = (size_t)n->part_count * (size_t)path_count;
    n->parts =
        dtx_arena_alloc(&n->arena, (size_t)n->part_count, sizeof *n->parts);
    n->numbers = dtx_arena_alloc(&n->arena, cells, sizeof *n->numbers);
    n->digits = dtx_arena_alloc(&n->arena, cells, sizeof *n->digits);
    if (n->parts == NULL || n->numbers == NULL || n->digits == NULL) {
        return dtx_error_memory(err);
    }
    cut(n, paths[0]);
    for (file = 0; file < path_count; file++) {
        if (!read_numbers(n, file, paths[file])) {
            dtx_error_set(err, DTX_ERR_SOURCE,
                          "'%s' and '%s' are not named alike", paths[0],
                          paths[file]);
            dtx_error_hint(err, "name only the files of one checkpoint");
            return DTX_ERR_SOURCE;
        }
    }
    return find_fields(n, err);
}

void
naming_finish(struct naming *n)
{
    dtx_arena_finish(&n->arena);
}
