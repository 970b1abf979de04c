/*
 * Names with a number, for axes that are kept or new.
 */
#include <inttypes.h>
#include <string.h>

#include "propose/like.h"
#include "propose/numbers.h"
#include "propose/write.h"
#include "util/alloc.h"
#include "util/glob.h"

static void
add_numbered_head(struct dtx_text *text, const char *pattern, const char *axis)
{
    dtx_text_add(text, "  - name: ");
    dtx_text_quote(text, pattern);
    dtx_text_format(text, "\n    axis: %s\n    held: ", axis);
}

static void
add_old_held(const struct like *k, const struct dtx_numbered *n, int axis,
             struct dtx_text *text)
{
    int size = k->layout->mesh.sizes[n->axis], c, i;
    int64_t total = 0;

    for (i = 0; i < n->range_first[size]; i++) {
        total += n->ranges[i].last - n->ranges[i].first + 1;
    }
    if (size != k->mesh.sizes[axis]) {
        dtx_text_format(text, "%" PRId64 "\n", total);
        return;
    }
    for (c = 0; c < size; c++) {
        dtx_text_add(text, c == 0 ? "[[" : "], [");
        for (i = n->range_first[c]; i < n->range_first[c + 1]; i++) {
            dtx_text_format(text, "%s%" PRId64 "-%" PRId64,
                            i > n->range_first[c] ? ", " : "",
                            n->ranges[i].first, n->ranges[i].last);
        }
    }
    dtx_text_add(text, "]]\n");
}

static bool
add_old_numbered(struct like *k, struct dtx_text *text)
{
    bool has_any = false;
    int i;

    for (i = 0; i < k->layout->numbered_count; i++) {
        const struct dtx_numbered *n = &k->layout->numbered[i];
        int axis = k->new_axis[n->axis];

        if (axis < 0) {
            continue;
        }
        dtx_text_add(text, has_any ? "" : "numbered:\n");
        has_any = true;
        k->body.length = 0;
        dtx_text_format(&k->body, "%s{n}%s", n->glob_before, n->glob_after);
        add_numbered_head(text, k->body.data, k->mesh.names[axis]);
        add_old_held(k, n, axis, text);
        dtx_text_format(text, "    stored: %s\n",
                        n->stored_local ? "local" : "global");
    }
    return has_any;
}

/* Where the number in a name stands that an axis divides: the first for
 * layers, the one behind "experts" for experts. 0: none. */
static size_t
number_end(const char *name, enum propose_style style, int *index_out,
           int64_t *number_out)
{
    size_t at = 0, begin;
    int index = 0;

    while (begin = at, numbers_next(name, &at, number_out)) {
        const char *word = strstr(name + begin, "experts.");

        if (style == STYLE_PIPELINE || (word != NULL && word < name + at)) {
            *index_out = index;
            return at;
        }
        index++;
    }
    return 0;
}

/* Gathers the patterns of one new axis, with how many numbers each has. */
static int
gather_patterns(struct like *k, int axis, int64_t *counts)
{
    int i;

    for (i = 0; i < k->count; i++) {
        int index = 0, pattern;
        int64_t number = 0;
        size_t end =
            number_end(k->tensors[i].name, k->styles[axis], &index, &number);
        char *head;

        if (end == 0) {
            continue;
        }
        head = dtx_strdup(k->tensors[i].name);
        if (head == NULL) {
            return -1;
        }
        head[end] = '\0';
        k->body.length = 0;
        dtx_glob_pattern(&k->body, head, index);
        dtx_text_add(&k->body, k->tensors[i].name[end] != '\0' ? ".**" : "");
        dtx_free(head);
        pattern =
            k->body.failed ? -1 : dtx_names_add(&k->patterns, k->body.data);
        if (pattern < 0) {
            return -1;
        }
        counts[pattern] =
            number + 1 > counts[pattern] ? number + 1 : counts[pattern];
    }
    return 0;
}

int
like_add_numbered(struct like *k, struct dtx_text *text)
{
    bool has_any = add_old_numbered(k, text);
    int64_t *counts = dtx_alloc((size_t)k->count + 1, sizeof *counts);
    int axis, i, failed = counts == NULL;

    for (axis = 0; axis < k->mesh.axis_count && !failed; axis++) {
        if (k->old_axis[axis] >= 0 || (k->styles[axis] != STYLE_PIPELINE &&
                                       k->styles[axis] != STYLE_EXPERT)) {
            continue;
        }
        dtx_names_finish(&k->patterns);
        memset(counts, 0, (size_t)k->count * sizeof *counts);
        failed = gather_patterns(k, axis, counts);
        for (i = 0; i < k->patterns.count && !failed; i++) {
            dtx_text_add(text, has_any ? "" : "numbered:\n");
            has_any = true;
            add_numbered_head(text, k->patterns.strings[i],
                              k->mesh.names[axis]);
            dtx_text_format(text, "%" PRId64 "\n", counts[i]);
        }
    }
    dtx_free(counts);
    return failed;
}
