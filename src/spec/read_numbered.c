/*
 * `numbered`: names with a number that an axis divides.
 */
#include <stdlib.h>
#include <string.h>

#include "layout/split.h"
#include "spec/codes.h"
#include "spec/reader.h"
#include "spec/scalar.h"
#include "util/glob.h"
#include "util/math.h"

/* A range and where it stands, while an entry is read. */
struct held_range {
    struct dtx_numbers numbers;
    struct dtx_mark mark;
    int coordinate;
};

/* The ranges of an entry, coordinate by coordinate. */
struct held {
    struct held_range *ranges;
    int count;
    int64_t next; /* number for the next count */
};

/* Of what is before or behind {n}: it is held against a name at many places. */
enum { GLOB_PART_MAX = 511 };

static bool
check_glob_part(struct spec_reader *reader, const struct yaml_node *node,
                const char *glob)
{
    const char *problem = strlen(glob) > GLOB_PART_MAX
                              ? "the pattern is too long"
                              : dtx_glob_check(glob);

    if (problem != NULL) {
        spec_error(&reader->report, SPEC_GLOB, node->mark, "name: %s", problem)
            ->help = "what is before and behind {n} are patterns of their own";
    }
    return problem == NULL;
}

static void
read_name(struct spec_reader *reader, const struct yaml_node *node,
          struct dtx_numbered *numbered)
{
    static const char field[] = "{n}";
    struct dtx_arena *arena = &reader->layout->arena;
    const char *glob;
    const char *at;
    char *before;

    numbered->mark = node->mark;
    if (!spec_text(&reader->report, node, "name", arena, &glob)) {
        return;
    }
    at = strstr(glob, field);
    if (at == NULL || strstr(at + 1, field) != NULL) {
        spec_error(&reader->report, SPEC_NUMBER_FIELD, node->mark,
                   "a numbered name has exactly one {n}")
            ->help = "{n} stands for the number, as in \"layers.{n}.**\"";
        return;
    }
    before = dtx_arena_copy(arena, glob, (size_t)(at - glob) + 1, 1);
    if (before == NULL) {
        reader->report.failed = true;
        return;
    }
    before[at - glob] = '\0';
    numbered->glob_before = before;
    numbered->glob_after = at + strlen(field);
    if (check_glob_part(reader, node, before)) {
        check_glob_part(reader, node, numbered->glob_after);
    }
}

static void
add_range(struct held *held, int64_t first, int64_t last, struct dtx_mark mark,
          int coordinate)
{
    held->ranges[held->count++] = (struct held_range){
        .numbers = {first, last}, .mark = mark, .coordinate = coordinate};
}

/* Reads "8" or "8-11". */
static bool
parse_range(const char *text, int64_t *first, int64_t *last)
{
    const char *dash = strchr(text, '-');
    char head[32];

    if (dash == NULL) {
        bool good = scalar_integer(text, first) == SCALAR_NUMBER;

        *last = *first;
        return good;
    }
    if (dash == text || dash[1] == '-' || dash - text >= (long)sizeof head) {
        return false;
    }
    memcpy(head, text, (size_t)(dash - text));
    head[dash - text] = '\0';
    return scalar_integer(head, first) == SCALAR_NUMBER &&
           scalar_integer(dash + 1, last) == SCALAR_NUMBER;
}

static bool
read_range(struct spec_reader *reader, const struct yaml_node *node,
           int coordinate, struct held *held)
{
    int64_t first = 0;
    int64_t last = 0;

    if (node->kind == YAML_INVALID) {
        return false;
    }
    if (node->kind != YAML_SCALAR || !parse_range(node->text, &first, &last)) {
        spec_error(&reader->report, SPEC_HELD_VALUE, node->mark,
                   "a range of numbers is written as 8-11, a single one as 8");
        return false;
    }
    if (last < first) {
        spec_error(&reader->report, SPEC_HELD_BACKWARDS, node->mark,
                   "the range %s ends before it begins", node->text)
            ->help = spec_format(&reader->report, "write %lld-%lld",
                                 (long long)last, (long long)first);
        return false;
    }
    add_range(held, first, last, node->mark, coordinate);
    return true;
}

/* A count of numbers that follow those of the counts before it. */
static bool
read_count(struct spec_reader *reader, const struct yaml_node *node,
           int coordinate, struct held *held)
{
    static const struct spec_number number = {"a count of numbers", 0,
                                              INT64_MAX, SPEC_HELD_VALUE};
    int64_t first;
    int64_t last;
    int64_t count;
    int64_t end;

    if (node->kind == YAML_SCALAR && strchr(node->text, '-') != NULL &&
        parse_range(node->text, &first, &last)) {
        spec_error(&reader->report, SPEC_HELD_VALUE, node->mark,
                   "ranges stand in a list, a list for each coordinate")
            ->help = spec_format(&reader->report, "write [%s]", node->text);
        return false;
    }
    if (!spec_integer(&reader->report, node, &number, &count)) {
        return false;
    }
    if (dtx_add_overflows(held->next, count, &end)) {
        spec_error(&reader->report, SPEC_HELD_VALUE, node->mark,
                   "the sum does not fit in 64 bits");
        return false;
    }
    if (count > 0) {
        add_range(held, held->next, end - 1, node->mark, coordinate);
    }
    held->next = end;
    return true;
}

static bool
read_held_item(struct spec_reader *reader, const struct yaml_node *item,
               int coordinate, struct held *held)
{
    bool good = true;

    if (item->kind != YAML_LIST) {
        return read_count(reader, item, coordinate, held);
    }
    for (int i = 0; i < item->count; i++) {
        good = read_range(reader, &item->items[i], coordinate, held) && good;
    }
    return good;
}

static bool
read_held_list(struct spec_reader *reader, const struct yaml_node *node,
               int axis, struct held *held)
{
    const struct dtx_mesh *mesh = &reader->layout->mesh;
    bool good = true;

    if (node->count != mesh->sizes[axis]) {
        spec_error(&reader->report, SPEC_HELD_COUNT, node->mark,
                   "%d items for the %d coordinates of axis '%s'", node->count,
                   mesh->sizes[axis], mesh->names[axis])
            ->help = "held has an item for each coordinate: a count, or a list "
                     "of ranges";
        return false;
    }
    for (int i = 0; i < node->count; i++) {
        good = read_held_item(reader, &node->items[i], i, held) && good;
    }
    return good;
}

/* 0 … N-1, divided by the layout's split. */
static bool
read_held_total(struct spec_reader *reader, const struct yaml_node *node,
                int axis, struct held *held)
{
    static const struct spec_number number = {"held", 0, INT64_MAX,
                                              SPEC_HELD_VALUE};
    const struct dtx_layout *layout = reader->layout;
    int size = layout->mesh.sizes[axis];
    enum dtx_split split = layout->split;
    int64_t total;
    int64_t begin = 0;

    if (!spec_integer(&reader->report, node, &number, &total)) {
        return false;
    }
    if (split == DTX_SPLIT_EVEN && total % size != 0) {
        struct dtx_diagnostic *d = spec_error(
            &reader->report, SPEC_HELD_UNEVEN, node->mark,
            "%lld numbers are not divisible by the %d coordinates of axis '%s'",
            (long long)total, size, layout->mesh.names[axis]);

        d->second_mark = layout->split_mark;
        d->second_label = "asks for equal pieces";
        return false;
    }
    /* Numbers can't be padded. */
    split = split == DTX_SPLIT_PAD ? DTX_SPLIT_CHUNK : split;
    for (int i = 0; i < size && begin < total; i++) {
        int64_t length = dtx_split_length(split, total, size, i);

        if (length > 0) {
            add_range(held, begin, begin + length - 1, node->mark, i);
        }
        begin += length;
    }
    return true;
}

static int
compare_first(const void *a, const void *b)
{
    const struct held_range *first = a;
    const struct held_range *second = b;

    if (first->numbers.first != second->numbers.first) {
        return first->numbers.first < second->numbers.first ? -1 : 1;
    }
    return first->coordinate < second->coordinate
               ? -1
               : first->coordinate > second->coordinate;
}

static int
compare_coordinate(const void *a, const void *b)
{
    const struct held_range *first = a;
    const struct held_range *second = b;

    if (first->coordinate != second->coordinate) {
        return first->coordinate < second->coordinate ? -1 : 1;
    }
    return compare_first(a, b);
}

/* Reports the first overlap among ranges that are sorted by their begin. */
static bool
check_overlap(struct spec_reader *reader, const struct held_range *ranges,
              int count)
{
    const struct held_range *reach = ranges; /* ends last so far */

    for (int i = 1; i < count; i++) {
        const struct held_range *range = &ranges[i];
        struct dtx_diagnostic *d;

        if (range->numbers.first > reach->numbers.last) {
            reach = range;
            continue;
        }
        d = spec_error(&reader->report, SPEC_HELD_TWICE, range->mark,
                       range->coordinate == reach->coordinate
                           ? "number %lld stands twice for one coordinate"
                           : "number %lld is held by two coordinates",
                       (long long)range->numbers.first);
        d->label = "again here";
        d->second_mark = reach->mark;
        d->second_label = "first here";
        d->help = range->coordinate == reach->coordinate
                      ? NULL
                      : "both would give the same name; with 'stored: local' "
                        "they are copies";
        return false;
    }
    return true;
}

/* A number twice for one coordinate; and for two, where both files would give
 * a tensor of the same name. */
static void
check_twice(struct spec_reader *reader, const struct dtx_numbered *numbered,
            struct held *held)
{
    int begin = 0;

    if (held->count == 0) {
        return;
    }
    qsort(held->ranges, (size_t)held->count, sizeof *held->ranges,
          compare_coordinate);
    for (int i = 1; i <= held->count; i++) {
        if (i < held->count &&
            held->ranges[i].coordinate == held->ranges[begin].coordinate) {
            continue;
        }
        if (!check_overlap(reader, held->ranges + begin, i - begin)) {
            return;
        }
        begin = i;
    }
    if (!numbered->stored_local && reader->layout->view == DTX_VIEW_LOCAL) {
        qsort(held->ranges, (size_t)held->count, sizeof *held->ranges,
              compare_first);
        check_overlap(reader, held->ranges, held->count);
    }
}

/* Keeps the ranges in the order as written: that is their local order. */
static void
keep(struct spec_reader *reader, const struct held *held,
     struct dtx_numbered *numbered)
{
    int size = reader->layout->mesh.sizes[numbered->axis];
    struct dtx_numbers *ranges =
        spec_alloc(reader, held->count, sizeof *ranges);
    int *first = spec_alloc(reader, size + 1, sizeof *first);
    int coordinate = 0;

    if (ranges == NULL || first == NULL) {
        return;
    }
    for (int i = 0; i < held->count; i++) {
        while (coordinate < held->ranges[i].coordinate) {
            first[++coordinate] = i;
        }
        ranges[i] = held->ranges[i].numbers;
    }
    while (coordinate < size) {
        first[++coordinate] = held->count;
    }
    numbered->ranges = ranges;
    numbered->range_first = first;
}

/* Keeps the ranges by their numbers too, where each has one holder. */
static void
keep_holders(struct spec_reader *reader, struct held *held,
             struct dtx_numbered *numbered)
{
    struct dtx_holder *holders =
        spec_alloc(reader, held->count, sizeof *holders);

    if (holders == NULL) {
        return;
    }
    qsort(held->ranges, (size_t)held->count, sizeof *held->ranges,
          compare_first);
    for (int i = 0; i < held->count; i++) {
        const struct held_range *range = &held->ranges[i];

        if (i > 0 && range->numbers.first <= holders[i - 1].numbers.last) {
            return;
        }
        holders[i] = (struct dtx_holder){range->numbers, range->coordinate};
    }
    numbered->holders = holders;
    numbered->holder_count = held->count;
}

/* How many ranges `held` can give at most. */
static int64_t
count_ranges(const struct yaml_node *node, int axis_size)
{
    int64_t count = 0;

    if (node->kind != YAML_LIST) {
        return axis_size;
    }
    for (int i = 0; i < node->count; i++) {
        const struct yaml_node *item = &node->items[i];

        count += item->kind == YAML_LIST ? item->count : 1;
    }
    return count;
}

static void
read_held(struct spec_reader *reader, const struct yaml_node *node,
          struct dtx_numbered *numbered)
{
    int64_t count =
        count_ranges(node, reader->layout->mesh.sizes[numbered->axis]);
    struct held held = {0};
    bool good;

    held.ranges =
        dtx_arena_alloc(&reader->scratch, (size_t)count, sizeof *held.ranges);
    if (held.ranges == NULL) {
        reader->report.failed = true;
        return;
    }
    good = node->kind == YAML_LIST
               ? read_held_list(reader, node, numbered->axis, &held)
               : read_held_total(reader, node, numbered->axis, &held);
    if (good) {
        keep(reader, &held, numbered);
        check_twice(reader, numbered, &held);
        keep_holders(reader, &held, numbered);
    }
}

static void
read_stored(struct spec_reader *reader, const struct yaml_node *node,
            struct dtx_numbered *numbered)
{
    static const char *const words[] = {"global", "local"};
    int index = 0;

    if (!spec_word(&reader->report, node, "stored", words, 2, &index)) {
        return;
    }
    numbered->stored_local = index == 1;
    if (numbered->stored_local && reader->layout->view == DTX_VIEW_GLOBAL) {
        spec_error(&reader->report, SPEC_STORED_GLOBAL_VIEW, node->mark,
                   "'stored: local' needs files of their own, and 'view: "
                   "global' has none");
    }
}

static const struct spec_key numbered_keys[] = {
    {"name", true}, {"axis", true}, {"held", true}, {"stored", false}};

static void
read_entry(struct spec_reader *reader, const struct yaml_node *node,
           struct dtx_numbered *numbered)
{
    const struct yaml_node *value;

    numbered->axis = -1;
    if (!spec_map(&reader->report, node, "a numbered name", numbered_keys, 4)) {
        return;
    }
    value = spec_find(node, "name");
    if (value != NULL) {
        read_name(reader, value, numbered);
    }
    value = spec_find(node, "axis");
    if (value != NULL) {
        numbered->axis = spec_axis(reader, value);
    }
    value = spec_find(node, "stored");
    if (value != NULL) {
        read_stored(reader, value, numbered);
    }
    value = spec_find(node, "held");
    if (value != NULL && numbered->axis >= 0 && reader->sizes_known) {
        read_held(reader, value, numbered);
    }
}

void
spec_read_numbered(struct spec_reader *reader, const struct yaml_node *node)
{
    struct dtx_layout *layout = reader->layout;

    if (node == NULL ||
        !spec_is(&reader->report, node, YAML_LIST, "numbered")) {
        return;
    }
    layout->numbered =
        spec_alloc(reader, node->count, sizeof *layout->numbered);
    for (int i = 0; i < node->count && !reader->report.failed; i++) {
        read_entry(reader, &node->items[i], &layout->numbered[i]);
        layout->numbered_count = i + 1;
    }
}
