#include "plan/map/kinds.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/alloc.h"

int
dtx_kinds_init(struct dtx_kinds *k, int thing_count)
{
    size_t count = (size_t)thing_count;

    *k = (struct dtx_kinds){.thing_count = thing_count,
                            .kind_count = thing_count > 0};
    k->kinds = dtx_alloc(count, sizeof *k->kinds);
    k->first = dtx_alloc(count + 1, sizeof *k->first);
    k->members = dtx_alloc(count, sizeof *k->members);
    k->keys = dtx_alloc(count, sizeof *k->keys);
    return k->kinds == NULL || k->first == NULL || k->members == NULL ||
                   k->keys == NULL
               ? -1
               : 0;
}

void
dtx_kinds_finish(struct dtx_kinds *k)
{
    dtx_free(k->kinds);
    dtx_free(k->first);
    dtx_free(k->members);
    dtx_free(k->keys);
    *k = (struct dtx_kinds){0};
}

static int
compare_keys(const void *left, const void *right)
{
    const struct dtx_kind_key *a = left;
    const struct dtx_kind_key *b = right;

    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->value != b->value) {
        return a->value < b->value ? -1 : 1;
    }
    return a->thing < b->thing ? -1 : a->thing > b->thing;
}

/* True where things of one kind have different values: mostly they don't, and
 * nothing need be sorted. first is used for a thing of each kind. */
static bool
splits(struct dtx_kinds *k, const int *values)
{
    int i;

    for (i = k->thing_count - 1; i >= 0; i--) {
        k->first[k->kinds[i]] = i;
    }
    for (i = 0; i < k->thing_count; i++) {
        if (values[i] != values[k->first[k->kinds[i]]]) {
            return true;
        }
    }
    return false;
}

/* Sorts the things by kind and value; what differs gets a number of its own. */
static void
renumber(struct dtx_kinds *k, const int *values)
{
    int i, kind = 0;

    for (i = 0; i < k->thing_count; i++) {
        k->keys[i] = (struct dtx_kind_key){k->kinds[i], values[i], i};
    }
    qsort(k->keys, (size_t)k->thing_count, sizeof *k->keys, compare_keys);
    for (i = 0; i < k->thing_count; i++) {
        const struct dtx_kind_key *key = &k->keys[i];

        kind +=
            i > 0 && (key->kind != key[-1].kind || key->value != key[-1].value);
        k->kinds[key->thing] = kind;
    }
    k->kind_count = kind + 1;
}

void
dtx_kinds_split(struct dtx_kinds *k, const int *values)
{
    if (k->kind_count < k->thing_count && splits(k, values)) {
        renumber(k, values);
    }
}

void
dtx_kinds_list(struct dtx_kinds *k)
{
    int i, kind = 0;

    /* members is used for the new number of each kind, 0 for none yet. */
    for (i = 0; i < k->thing_count; i++) {
        k->members[i] = 0;
    }
    for (i = 0; i < k->thing_count; i++) {
        int *number = &k->members[k->kinds[i]];

        if (*number == 0) {
            *number = ++kind;
        }
        k->kinds[i] = *number - 1;
    }
    for (i = 0; i <= k->kind_count; i++) {
        k->first[i] = 0;
    }
    for (i = 0; i < k->thing_count; i++) {
        k->first[k->kinds[i] + 1]++;
    }
    for (i = 0; i < k->kind_count; i++) {
        k->first[i + 1] += k->first[i];
    }
    for (i = 0; i < k->thing_count; i++) {
        k->members[k->first[k->kinds[i]]++] = i;
    }
    for (i = k->kind_count; i > 0; i--) {
        k->first[i] = k->first[i - 1];
    }
    k->first[0] = 0;
}
