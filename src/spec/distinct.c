/*
 * Lists whose values must differ.
 */
#include <stdlib.h>

#include "spec/reader.h"

struct listed {
    int64_t value;
    int index; /* in the list */
};

static int
compare_listed(const void *a, const void *b)
{
    const struct listed *first = a;
    const struct listed *second = b;

    if (first->value != second->value) {
        return first->value < second->value ? -1 : 1;
    }
    return first->index < second->index ? -1 : first->index > second->index;
}

static void
refuse_twice(struct spec_reader *reader, const char *code, const char *what,
             const struct yaml_node *again, const struct yaml_node *first)
{
    struct dtx_diagnostic *d =
        spec_error(&reader->report, code, again->mark, "%s %s stands twice",
                   what, again->text);

    d->label = "again here";
    d->second_mark = first->mark;
    d->second_label = "first here";
}

void
spec_check_distinct(struct spec_reader *reader, const struct yaml_node *list,
                    const int64_t *values, const char *code, const char *what)
{
    struct listed *sorted =
        dtx_arena_alloc(&reader->scratch, (size_t)list->count, sizeof *sorted);

    if (sorted == NULL) {
        reader->report.failed = true;
        return;
    }
    for (int i = 0; i < list->count; i++) {
        sorted[i] = (struct listed){values[i], i};
    }
    if (list->count > 0) {
        qsort(sorted, (size_t)list->count, sizeof *sorted, compare_listed);
    }
    for (int i = 1; i < list->count; i++) {
        if (sorted[i].value == sorted[i - 1].value) {
            refuse_twice(reader, code, what, &list->items[sorted[i].index],
                         &list->items[sorted[i - 1].index]);
        }
    }
}
