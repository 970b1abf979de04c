#include "plan/map/idle.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/diagnostic.h"
#include "util/glob.h"
#include "util/suggest.h"
#include "util/text.h"

/* Whoever has more idle rules than that doesn't read what there is instead,
 * and each of them is held against all names. */
enum { EXPLAINED_MAX = 8 };

static struct dtx_diagnostic
begin(const struct dtx_layout *layout, struct dtx_mark mark, const char *code)
{
    return (struct dtx_diagnostic){.severity = DTX_SEVERITY_WARNING,
                                   .code = code,
                                   .file = layout->file,
                                   .text = layout->text,
                                   .mark = mark};
}

/* ------------------------------------------------------------------ rules */

/* A name that the rule would match, were it not for those above; -1: none. */
static int
find_taken(const struct dtx_rule *rule, const struct dtx_names *names)
{
    int i;

    for (i = 0; i < names->count; i++) {
        if (dtx_glob_match(rule->glob, names->strings[i])) {
            return i;
        }
    }
    return -1;
}

/* The names' patterns, each once. False when out of memory. */
static bool
find_patterns(const struct dtx_names *names, struct dtx_names *patterns_out)
{
    struct dtx_text pattern = {0};
    bool is_whole = true;
    int i;

    for (i = 0; i < names->count && is_whole; i++) {
        pattern.length = 0;
        dtx_glob_pattern(&pattern, names->strings[i], -1);
        is_whole =
            !pattern.failed && dtx_names_add(patterns_out, pattern.data) >= 0;
    }
    dtx_text_finish(&pattern);
    return is_whole;
}

/* What there is instead of what the rule names. */
static void
add_help(struct dtx_text *help, const struct dtx_rule *rule,
         const struct dtx_names *names, const struct dtx_names *patterns)
{
    const char *close =
        dtx_suggest(rule->glob, patterns->strings, patterns->count);

    if (close == NULL) {
        close = dtx_suggest(rule->glob, names->strings, names->count);
    }
    if (close != NULL) {
        dtx_text_format(help, "did you mean \"%s\"?", close);
    } else if (names->count > 0) {
        dtx_text_format(help, "names are such as '%s'", names->strings[0]);
    }
}

static void
warn_rule(const struct dtx_layout *layout, int rule,
          const struct dtx_names *names, const struct dtx_names *patterns,
          struct dtx_diagnostics *list)
{
    struct dtx_diagnostic d = begin(layout, layout->rules[rule].mark, "W201");
    int taken = find_taken(&layout->rules[rule], names);
    struct dtx_text help = {0}, label = {0};

    d.message = "this rule matches no tensor";
    if (taken >= 0) {
        int first = dtx_layout_find_rule(layout, names->strings[taken]);

        dtx_text_format(&label, "matches '%s' first", names->strings[taken]);
        if (first >= 0 && !label.failed) {
            d.second_mark = layout->rules[first].mark;
            d.second_label = label.data;
        }
    } else {
        add_help(&help, &layout->rules[rule], names, patterns);
        d.help = help.failed ? NULL : help.data;
    }
    dtx_diagnostics_add(list, &d);
    dtx_text_finish(&help);
    dtx_text_finish(&label);
}

void
dtx_warn_idle_rules(const struct dtx_layout *layout, const int *uses,
                    const struct dtx_names *names, struct dtx_diagnostics *list)
{
    struct dtx_names patterns = {0};
    int i, count = 0;

    for (i = 0; i < layout->rule_count; i++) {
        if (uses[i] > 0) {
            continue;
        }
        if (count == 0 && !find_patterns(names, &patterns)) {
            count = EXPLAINED_MAX; /* without memory, without help */
        }
        if (count++ < EXPLAINED_MAX) {
            warn_rule(layout, i, names, &patterns, list);
        } else {
            struct dtx_diagnostic d =
                begin(layout, layout->rules[i].mark, "W201");

            d.message = "this rule matches no tensor";
            dtx_diagnostics_add(list, &d);
        }
    }
    dtx_names_finish(&patterns);
}

/* ---------------------------------------------------------------- numbers */

static int
compare_numbers(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* The numbers that names have where an entry means one, ascending; to be
 * freed. NULL when out of memory. */
static int64_t *
find_numbers(const struct dtx_numbered *entry, const struct dtx_names *names,
             size_t *count_out)
{
    int64_t *numbers = dtx_alloc((size_t)names->count, sizeof *numbers);
    size_t count = 0, kept = 0, at;
    int i;

    for (i = 0; i < names->count && numbers != NULL; i++) {
        int64_t number = dtx_layout_number(entry, names->strings[i]);

        if (number >= 0) {
            numbers[count++] = number;
        }
    }
    if (count > 0) {
        qsort(numbers, count, sizeof *numbers, compare_numbers);
    }
    for (at = 0; at < count; at++) {
        if (kept == 0 || numbers[kept - 1] != numbers[at]) {
            numbers[kept++] = numbers[at];
        }
    }
    *count_out = kept;
    return numbers;
}

/* The first number of a range that isn't among `numbers`; -1: none. */
static int64_t
first_missing(const struct dtx_numbers *range, const int64_t *numbers,
              size_t count)
{
    int64_t next = range->first;
    size_t at = 0;

    while (at < count && numbers[at] < next) {
        at++;
    }
    while (at < count && numbers[at] == next && next <= range->last) {
        at++;
        next++;
    }
    return next <= range->last ? next : -1;
}

static void
warn_missing(const struct dtx_layout *layout, const struct dtx_numbered *entry,
             int coordinate, int64_t number, struct dtx_diagnostics *list)
{
    struct dtx_diagnostic d = begin(layout, entry->mark, "W205");
    struct dtx_text message = {0};

    dtx_text_format(&message,
                    "no tensor has number %" PRId64
                    ", which coordinate %d of axis '%s' should hold",
                    number, coordinate, layout->mesh.names[entry->axis]);
    d.message = message.failed ? NULL : message.data;
    d.help = entry->stored_local
                 ? "too large a count shifts the numbers of all coordinates "
                   "behind it"
                 : "'held' says which numbers each coordinate holds";
    dtx_diagnostics_add(list, &d);
    dtx_text_finish(&message);
}

/* Says the first number of an entry that no tensor has. */
static void
warn_entry(const struct dtx_layout *layout, const struct dtx_numbered *entry,
           const int64_t *numbers, size_t count, struct dtx_diagnostics *list)
{
    struct dtx_diagnostic d = begin(layout, entry->mark, "W204");
    int coordinate, i;

    if (count == 0) {
        d.message = "this entry matches no tensor";
        d.help = "{n} stands for a whole number in a name; the rest is a glob";
        dtx_diagnostics_add(list, &d);
        return;
    }
    for (coordinate = 0; coordinate < layout->mesh.sizes[entry->axis];
         coordinate++) {
        for (i = entry->range_first[coordinate];
             i < entry->range_first[coordinate + 1]; i++) {
            int64_t number = first_missing(&entry->ranges[i], numbers, count);

            if (number >= 0) {
                warn_missing(layout, entry, coordinate, number, list);
                return;
            }
        }
    }
}

void
dtx_warn_idle_numbers(const struct dtx_layout *layout,
                      const struct dtx_names *names,
                      struct dtx_diagnostics *list)
{
    int i;

    for (i = 0; i < layout->numbered_count && names->count > 0; i++) {
        size_t count;
        int64_t *numbers = find_numbers(&layout->numbered[i], names, &count);

        if (numbers != NULL) {
            warn_entry(layout, &layout->numbered[i], numbers, count, list);
        }
        dtx_free(numbers);
    }
}
