#include <inttypes.h>
#include <string.h>

#include "layout/layout.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/glob.h"

enum {
    DIGITS_MAX = 18,       /* of a number that anyone can hold */
    WIDTH_MAX = 32,        /* of a number with zeros before it */
    NAME_LENGTH_MAX = 511, /* longer names have no numbers */
};

/* Where the number of an entry stands in a name. */
struct number {
    const struct dtx_numbered *entry;
    size_t begin, end; /* bytes; begin == end: the entry doesn't concern it */
    int64_t value;     /* -1: too large to be held */
};

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where the digits from `begin` on end, of a number that isn't too wide. */
static size_t
digits_end(const char *name, size_t begin)
{
    size_t end = begin;

    while (end - begin < WIDTH_MAX && is_digit(name[end])) {
        end++;
    }
    return end;
}

static int64_t
read_number(const char *digits, size_t count)
{
    int64_t value = 0;

    while (count > 1 && *digits == '0') {
        digits++;
        count--;
    }
    if (count > DIGITS_MAX) {
        return -1;
    }
    for (; count > 0; count--) {
        value = value * 10 + (*digits++ - '0');
    }
    return value;
}

/*
 * Finds the entry's number: digits so that what stands before and after them
 * matches the globs. Of several the last, and of these the longest, counts, as
 * a regular expression whose stars take what they can would have it. Each
 * place is held against each glob once at most.
 */
static struct number
find_number(const struct dtx_numbered *entry, const char *name, char *scratch)
{
    struct number number = {entry, 0, 0, -1};
    bool is_no_end[NAME_LENGTH_MAX + 1] = {false};
    size_t begin = strlen(name);
    size_t end;

    if (begin > NAME_LENGTH_MAX) {
        return number;
    }
    memcpy(scratch, name, begin + 1);
    while (begin-- > 0) {
        scratch[begin] = '\0'; /* now the text before `begin` */
        if (!is_digit(name[begin]) ||
            !dtx_glob_match(entry->glob_before, scratch)) {
            continue;
        }
        for (end = digits_end(name, begin); end > begin; end--) {
            if (is_no_end[end]) {
                continue;
            }
            is_no_end[end] = true;
            if (dtx_glob_match(entry->glob_after, name + end)) {
                number.begin = begin;
                number.end = end;
                number.value = read_number(name + begin, end - begin);
                return number;
            }
        }
    }
    return number;
}

int64_t
dtx_layout_number(const struct dtx_numbered *entry, const char *name)
{
    char *scratch = dtx_alloc(strlen(name) + 1, 1);
    struct number number = {.value = -1};

    if (scratch != NULL) {
        number = find_number(entry, name, scratch);
    }
    dtx_free(scratch);
    return number.value;
}

/*
 * The numbers of a name, by position, one an entry that concerns it; where
 * two entries mean the same digits, the first counts. To be freed; NULL when
 * out of memory.
 */
static struct number *
find_numbers(const struct dtx_layout *layout, const char *name, int *count_out)
{
    struct number *numbers =
        dtx_alloc((size_t)layout->numbered_count, sizeof(*numbers));
    char *scratch = dtx_alloc(strlen(name) + 1, 1);
    int count = 0;
    int i, at;

    for (i = 0;
         numbers != NULL && scratch != NULL && i < layout->numbered_count;
         i++) {
        struct number number = find_number(&layout->numbered[i], name, scratch);

        if (number.begin == number.end) {
            continue;
        }
        for (at = count++; at > 0 && numbers[at - 1].begin > number.begin;
             at--) {
            numbers[at] = numbers[at - 1];
        }
        numbers[at] = number;
    }
    if (scratch == NULL) {
        dtx_free(numbers);
        numbers = NULL;
    }
    dtx_free(scratch);
    *count_out = count;
    return numbers;
}

/* Which of a coordinate's numbers `value` is, counted from 0; -1: none. */
static int64_t
number_index(const struct dtx_numbered *entry, int coordinate, int64_t value)
{
    int64_t index = 0;
    int i;

    for (i = entry->range_first[coordinate];
         i < entry->range_first[coordinate + 1]; i++) {
        const struct dtx_numbers *range = &entry->ranges[i];

        if (value >= range->first && value <= range->last) {
            return index + (value - range->first);
        }
        index += range->last - range->first + 1;
    }
    return -1;
}

/* The reverse; -1 where the coordinate holds fewer. */
static int64_t
number_at(const struct dtx_numbered *entry, int coordinate, int64_t index)
{
    int i;

    if (index < 0) {
        return -1;
    }
    for (i = entry->range_first[coordinate];
         i < entry->range_first[coordinate + 1]; i++) {
        const struct dtx_numbers *range = &entry->ranges[i];

        if (index <= range->last - range->first) {
            return range->first + index;
        }
        index -= range->last - range->first + 1;
    }
    return -1;
}

/* What a number becomes on a coordinate of its axis; -1: it can't be. */
typedef int64_t change_number(const struct dtx_numbered *entry, int coordinate,
                              int64_t value);

/* Adds the name with its local numbers changed. False where one can't be. */
static bool
add_changed(const struct dtx_mesh *mesh, const char *name, int position,
            const struct number *numbers, int count, change_number *change,
            struct dtx_text *text)
{
    size_t done = 0;
    int i;

    for (i = 0; i < count; i++) {
        const struct number *n = &numbers[i];
        int width = name[n->begin] == '0' ? (int)(n->end - n->begin) : 1;
        int64_t value;

        if (!n->entry->stored_local || n->begin < done) {
            continue;
        }
        value = change(n->entry,
                       dtx_mesh_coordinate(mesh, position, n->entry->axis),
                       n->value);
        if (value < 0) {
            return false;
        }
        dtx_text_add_bytes(text, name + done, n->begin - done);
        dtx_text_format(text, "%0*" PRId64, width, value);
        done = n->end;
    }
    dtx_text_add(text, name + done);
    return true;
}

static const char *
change_name(const struct dtx_layout *layout, const char *name, int position,
            struct dtx_arena *arena, change_number *change,
            bool *out_of_range_out)
{
    struct dtx_text text = {0};
    struct number *numbers;
    const char *result = NULL;
    int count;

    *out_of_range_out = false;
    if (layout->numbered_count == 0) {
        return name;
    }
    numbers = find_numbers(layout, name, &count);
    if (numbers == NULL) {
        return NULL;
    }
    if (!add_changed(&layout->mesh, name, position, numbers, count, change,
                     &text)) {
        *out_of_range_out = true;
    } else if (!text.failed) {
        result = strcmp(text.data, name) == 0
                     ? name
                     : dtx_arena_string(arena, text.data);
    }
    dtx_text_finish(&text);
    dtx_free(numbers);
    return result;
}

const char *
dtx_layout_stored_name(const struct dtx_layout *layout, const char *name,
                       int position, struct dtx_arena *arena)
{
    bool is_absent;
    const char *stored =
        change_name(layout, name, position, arena, number_index, &is_absent);

    /* A position that doesn't hold the tensor has no name of its own for it. */
    return is_absent ? name : stored;
}

const char *
dtx_layout_global_name(const struct dtx_layout *layout, const char *stored,
                       int position, struct dtx_arena *arena,
                       bool *out_of_range_out)
{
    return change_name(layout, stored, position, arena, number_at,
                       out_of_range_out);
}

/* The one coordinate that holds a number; NULL where none does. */
static const int *
find_holder(const struct dtx_numbered *entry, int64_t value)
{
    int lo = 0, hi = entry->holder_count;

    while (lo < hi) { /* the first that ends behind it */
        int middle = lo + (hi - lo) / 2;

        if (entry->holders[middle].numbers.last < value) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < entry->holder_count && entry->holders[lo].numbers.first <= value
               ? &entry->holders[lo].coordinate
               : NULL;
}

/* Keeps those coordinates of an axis that hold a number. False when out of
 * memory. */
static bool
keep_holders(const struct dtx_layout *layout, const struct number *number,
             struct dtx_arena *arena, struct dtx_presence *presence)
{
    int axis = number->entry->axis;
    int size = layout->mesh.sizes[axis];
    const int *allowed = presence->coordinates[axis];
    int allowed_count = allowed != NULL ? presence->counts[axis] : size;
    int *kept;
    int count = 0;
    int i;

    if (number->entry->holders != NULL && allowed == NULL) {
        const int *holder = find_holder(number->entry, number->value);

        presence->coordinates[axis] =
            holder != NULL ? holder : presence->coordinates[axis];
        presence->counts[axis] = holder != NULL;
        return true;
    }
    kept = dtx_alloc((size_t)allowed_count, sizeof(*kept));
    for (i = 0; kept != NULL && i < allowed_count; i++) {
        int coordinate = allowed != NULL ? allowed[i] : i;

        if (number->value >= 0 &&
            number_index(number->entry, coordinate, number->value) >= 0) {
            kept[count++] = coordinate;
        }
    }
    /* Mostly one of many, and there are many names. */
    presence->coordinates[axis] =
        kept == NULL
            ? NULL
            : dtx_arena_copy(arena, kept, (size_t)count, sizeof(*kept));
    presence->counts[axis] = count;
    dtx_free(kept);
    return presence->coordinates[axis] != NULL;
}

/* Says why nobody holds a tensor after a number has been looked up. */
static enum dtx_status
refuse(const struct dtx_layout *layout, const char *name,
       const struct number *number, bool is_restricted, struct dtx_error *err)
{
    const struct dtx_numbered *entry = number->entry;

    dtx_error_set(err, DTX_ERR_INVALID,
                  "%s: no coordinate of axis %s%s holds number %.*s", name,
                  layout->mesh.names[entry->axis],
                  is_restricted ? " that holds the rest of its name" : "",
                  (int)(number->end - number->begin), name + number->begin);
    dtx_error_hint(err, "%s:%d says which numbers each coordinate holds",
                   layout->file, entry->mark.line);
    return DTX_ERR_INVALID;
}

static bool
is_held(const struct dtx_layout *layout, const struct number *number)
{
    int i;

    for (i = 0; i < layout->mesh.sizes[number->entry->axis]; i++) {
        if (number->value >= 0 &&
            number_index(number->entry, i, number->value) >= 0) {
            return true;
        }
    }
    return false;
}

struct dtx_mark
dtx_layout_numbered_mark(const struct dtx_layout *layout, const char *name)
{
    struct dtx_mark mark = {0};
    int count = 0;
    struct number *numbers = find_numbers(layout, name, &count);
    int i;

    for (i = 0; i < count && is_held(layout, &numbers[i]); i++) {
    }
    if (count > 0) {
        mark = numbers[i < count ? i : 0].entry->mark;
    }
    dtx_free(numbers);
    return mark;
}

enum dtx_status
dtx_layout_presence(const struct dtx_layout *layout,
                    const struct dtx_rule *rule, const char *name,
                    struct dtx_arena *arena, struct dtx_presence *presence_out,
                    struct dtx_error *err)
{
    struct dtx_presence presence = {.axis_count = layout->mesh.axis_count};
    enum dtx_status status = DTX_OK;
    struct number *numbers;
    int count = 0;
    int i;

    for (i = 0; i < rule->where_count; i++) {
        presence.coordinates[rule->where[i].axis] = rule->where[i].coordinates;
        presence.counts[rule->where[i].axis] = rule->where[i].coordinate_count;
    }
    numbers = find_numbers(layout, name, &count);
    if (numbers == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < count && status == DTX_OK; i++) {
        int axis = numbers[i].entry->axis;
        bool is_restricted = presence.coordinates[axis] != NULL;

        if (!keep_holders(layout, &numbers[i], arena, &presence)) {
            status = dtx_error_memory(err);
        } else if (presence.counts[axis] == 0) {
            status = refuse(layout, name, &numbers[i], is_restricted, err);
        }
    }
    dtx_free(numbers);
    if (status == DTX_OK) {
        *presence_out = presence;
    }
    return status;
}

bool
dtx_presence_holds(const struct dtx_presence *presence,
                   const struct dtx_mesh *mesh, int position)
{
    int axis, i;

    for (axis = 0; axis < presence->axis_count; axis++) {
        const int *coordinates = presence->coordinates[axis];
        int coordinate = dtx_mesh_coordinate(mesh, position, axis);

        for (i = 0; coordinates != NULL && i < presence->counts[axis]; i++) {
            if (coordinates[i] == coordinate) {
                break;
            }
        }
        if (coordinates != NULL && i == presence->counts[axis]) {
            return false;
        }
    }
    return true;
}
