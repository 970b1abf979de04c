#include "propose/numbers.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "propose/write.h"
#include "util/alloc.h"
#include "util/glob.h"

bool
numbers_next(const char *name, size_t *at, int64_t *number_out)
{
    while (name[*at] != '\0') {
        size_t length = strcspn(name + *at, "./"), i;
        bool is_number = length > 0 && length <= 18;

        for (i = 0; i < length && is_number; i++) {
            is_number = isdigit((unsigned char)name[*at + i]) != 0;
        }
        if (is_number) {
            *number_out = strtoll(name + *at, NULL, 10);
            *at += length;
            return true;
        }
        *at += length + (name[*at + length] != '\0');
    }
    return false;
}

/* The pattern of all names with the same text up to the index-th number, which
 * becomes {n}; -1 when out of memory. */
static int
pattern_of(struct numbers *n, const char *name, size_t end, int index,
           struct dtx_text *scratch)
{
    char *head = dtx_alloc(end + 1, 1);
    int pattern = -1;

    if (head == NULL) {
        return -1;
    }
    memcpy(head, name, end);
    scratch->length = 0;
    dtx_glob_pattern(scratch, head, index);
    if (name[end] != '\0') {
        dtx_text_add_bytes(scratch, name + end, 1);
        dtx_text_add(scratch, "**");
    }
    if (!scratch->failed) {
        pattern = dtx_names_add(&n->patterns, scratch->data);
    }
    dtx_free(head);
    return pattern;
}

static struct numbers_entry *
find_entry(struct numbers *n, int axis, int pattern)
{
    size_t i;

    for (i = 0; i < n->entry_count; i++) {
        if (n->entries[i].axis == axis && n->entries[i].pattern == pattern) {
            return &n->entries[i];
        }
    }
    if (dtx_grow(&n->entries, n->entry_count, &n->entry_capacity,
                 sizeof *n->entries) != 0) {
        return NULL;
    }
    n->entries[n->entry_count] =
        (struct numbers_entry){.axis = axis, .pattern = pattern};
    return &n->entries[n->entry_count++];
}

/* The only coordinate at which a tensor is, or -1. */
static int
only_coordinate(const struct numbers *n, int tensor, int axis)
{
    int found = -1, c;

    for (c = 0; c < n->mesh->sizes[axis]; c++) {
        if (evidence_is_at(n->e, tensor, n->mesh, axis, c)) {
            if (found >= 0) {
                return -1;
            }
            found = c;
        }
    }
    return found;
}

/* Adds a number where it is new; two tensors of one number must be at one
 * place. */
static int
add_number(struct numbers_entry *entry, int64_t number, int coordinate)
{
    size_t i;

    for (i = entry->count; i > 0; i--) {
        struct numbers_of *known = &entry->numbers[i - 1];

        if (known->number == number) {
            known->coordinate =
                known->coordinate == coordinate ? coordinate : -1;
            return 0;
        }
    }
    if (dtx_grow(&entry->numbers, entry->count, &entry->capacity,
                 sizeof *entry->numbers) != 0) {
        return -1;
    }
    entry->numbers[entry->count++] = (struct numbers_of){number, coordinate};
    return 0;
}

static int
add_tensor(struct numbers *n, int tensor, int axis, struct dtx_text *scratch)
{
    const char *name = n->e->tensors[tensor].name;
    int coordinate = only_coordinate(n, tensor, axis), index = 0;
    int64_t number;
    size_t at = 0;

    while (numbers_next(name, &at, &number)) {
        int pattern = pattern_of(n, name, at, index++, scratch);
        struct numbers_entry *entry =
            pattern < 0 ? NULL : find_entry(n, axis, pattern);

        if (entry == NULL || add_number(entry, number, coordinate) != 0) {
            return -1;
        }
    }
    return 0;
}

static int
compare_numbers(const void *left, const void *right)
{
    const struct numbers_of *a = left;
    const struct numbers_of *b = right;

    return a->number < b->number ? -1 : a->number > b->number;
}

/* An entry tells where tensors are if each number is at one coordinate, and
 * not all at the same. */
static void
check_entry(struct numbers_entry *entry)
{
    bool differs = false, all = true;
    size_t i;

    if (entry->count > 1) {
        qsort(entry->numbers, entry->count, sizeof *entry->numbers,
              compare_numbers);
    }
    for (i = 0; i < entry->count; i++) {
        all &= entry->numbers[i].coordinate >= 0;
        differs |= entry->numbers[i].coordinate != entry->numbers[0].coordinate;
    }
    entry->is_valid = all && differs;
}

/* Along a pipeline each stage can count its layers from 0: numbers are then at
 * several stages, and their values differ. */
static void
check_local(struct numbers *n, struct numbers_entry *entry,
            enum propose_style style)
{
    size_t i;

    if (entry->is_valid || style != STYLE_PIPELINE) {
        return;
    }
    for (i = 0; i < entry->count; i++) {
        if (entry->numbers[i].number != (int64_t)i) {
            return;
        }
    }
    /* The first number of an experts' list under it says nothing. */
    entry->is_local = entry->is_valid =
        entry->count > 0 &&
        strstr(n->patterns.strings[entry->pattern], "*.") == NULL;
}

/* The entries that say where a tensor is: the first number that does. */
static int
use_entries(struct numbers *n, int tensor, int axis, struct dtx_text *scratch)
{
    const char *name = n->e->tensors[tensor].name;
    int *slot = &n->entry_of[tensor * n->mesh->axis_count + axis];
    int index = 0;
    int64_t number;
    size_t at = 0;

    while (numbers_next(name, &at, &number)) {
        int pattern = pattern_of(n, name, at, index++, scratch);
        struct numbers_entry *entry =
            pattern < 0 ? NULL : find_entry(n, axis, pattern);

        if (entry == NULL) {
            return -1;
        }
        if (entry->is_valid) {
            entry->is_used = true;
            *slot = (int)(entry - n->entries);
            return 0;
        }
    }
    return 0;
}

int
numbers_find(struct numbers *n, const struct evidence *e,
             const struct dtx_mesh *mesh, const enum propose_style *styles)
{
    size_t cells = (size_t)e->tensor_count * (size_t)mesh->axis_count;
    struct dtx_text scratch = {0};
    int axis, i, failed;
    size_t k;

    *n = (struct numbers){.e = e, .mesh = mesh};
    n->entry_of = dtx_alloc(cells + 1, sizeof *n->entry_of);
    failed = n->entry_of == NULL;
    if (!failed) {
        memset(n->entry_of, 0xFF, cells * sizeof *n->entry_of);
    }
    for (axis = 0; axis < mesh->axis_count && !failed; axis++) {
        bool may =
            styles[axis] == STYLE_PIPELINE || styles[axis] == STYLE_EXPERT;

        for (i = 0; i < e->tensor_count && !failed && may; i++) {
            failed = add_tensor(n, i, axis, &scratch) != 0;
        }
    }
    for (k = 0; k < n->entry_count; k++) {
        check_entry(&n->entries[k]);
        check_local(n, &n->entries[k], styles[n->entries[k].axis]);
    }
    for (axis = 0; axis < mesh->axis_count && !failed; axis++) {
        bool may =
            styles[axis] == STYLE_PIPELINE || styles[axis] == STYLE_EXPERT;

        for (i = 0; i < e->tensor_count && !failed && may; i++) {
            failed = use_entries(n, i, axis, &scratch) != 0;
        }
    }
    dtx_text_finish(&scratch);
    return failed ? -1 : 0;
}

void
numbers_finish(struct numbers *n)
{
    size_t i;

    for (i = 0; i < n->entry_count; i++) {
        dtx_free(n->entries[i].numbers);
    }
    dtx_free(n->entries);
    dtx_free(n->entry_of);
    dtx_names_finish(&n->patterns);
}

const struct numbers_entry *
numbers_entry_of(const struct numbers *n, int tensor, int axis)
{
    int entry = n->entry_of[tensor * n->mesh->axis_count + axis];

    return entry < 0 ? NULL : &n->entries[entry];
}

/* ------------------------------------------------------------------ writing */

/* True where the numbers go up from 0 with the coordinates. */
static bool
is_counted(const struct numbers_entry *entry)
{
    size_t i;

    for (i = 0; i < entry->count; i++) {
        if (entry->numbers[i].number != (int64_t)i ||
            (i > 0 &&
             entry->numbers[i].coordinate < entry->numbers[i - 1].coordinate)) {
            return false;
        }
    }
    return true;
}

static void
write_counts(const struct numbers *n, const struct numbers_entry *entry,
             struct dtx_text *text)
{
    int c;
    size_t i;

    for (c = 0; c < n->mesh->sizes[entry->axis]; c++) {
        int64_t count = 0;

        for (i = 0; i < entry->count; i++) {
            count += entry->numbers[i].coordinate == c;
        }
        dtx_text_format(text, "%s%" PRId64, c > 0 ? ", " : "", count);
    }
}

/* A local entry: how many numbers each coordinate has. */
static void
write_local_counts(const struct numbers *n, const struct numbers_entry *entry,
                   struct dtx_text *text)
{
    int c, i;

    for (c = 0; c < n->mesh->sizes[entry->axis]; c++) {
        int64_t count = 0, number;

        for (i = 0; i < n->e->tensor_count; i++) {
            size_t at = 0;

            if (numbers_entry_of(n, i, entry->axis) == entry &&
                numbers_next(n->e->tensors[i].name, &at, &number) &&
                number >= count &&
                evidence_is_at(n->e, i, n->mesh, entry->axis, c)) {
                count = number + 1;
            }
        }
        dtx_text_format(text, "%s%" PRId64, c > 0 ? ", " : "", count);
    }
}

static void
write_ranges(const struct numbers *n, const struct numbers_entry *entry,
             struct dtx_text *text)
{
    const struct numbers_of *numbers = entry->numbers;
    int c;
    size_t i, end;

    for (c = 0; c < n->mesh->sizes[entry->axis]; c++) {
        const char *before = "";

        dtx_text_add(text, c > 0 ? ", [" : "[");
        for (i = 0; i < entry->count; i = end) {
            end = i + 1;
            if (numbers[i].coordinate != c) {
                continue;
            }
            while (end < entry->count && numbers[end].coordinate == c &&
                   numbers[end].number == numbers[end - 1].number + 1) {
                end++;
            }
            dtx_text_format(text, "%s%" PRId64, before, numbers[i].number);
            if (end > i + 1) {
                dtx_text_format(text, "-%" PRId64, numbers[end - 1].number);
            }
            before = ", ";
        }
        dtx_text_add(text, "]");
    }
}

void
numbers_write(const struct numbers *n, struct dtx_text *text)
{
    bool is_begun = false;
    size_t i;

    for (i = 0; i < n->entry_count; i++) {
        const struct numbers_entry *entry = &n->entries[i];

        if (!entry->is_used) {
            continue;
        }
        dtx_text_add(text, is_begun ? "" : "numbered:\n");
        is_begun = true;
        if (entry->is_local) {
            write_comment(text, 2,
                          "ambiguous: taken for layers that each stage counts "
                          "from 0");
        }
        dtx_text_add(text, "  - name: ");
        dtx_text_quote(text, n->patterns.strings[entry->pattern]);
        dtx_text_format(text, "\n    axis: %s\n    held: [",
                        n->mesh->names[entry->axis]);
        if (entry->is_local) {
            write_local_counts(n, entry, text);
        } else if (is_counted(entry)) {
            write_counts(n, entry, text);
        } else {
            write_ranges(n, entry, text);
        }
        dtx_text_format(text, "]\n    stored: %s\n",
                        entry->is_local ? "local" : "global");
    }
}
