#include "plan/map/kinds.h"

#include "util/alloc.h"
#include "util/sort.h"

int
dtx_kinds_init(struct dtx_kinds *k, int thing_count)
{
    size_t count = (size_t)thing_count;

    *k = (struct dtx_kinds){.thing_count = thing_count,
                            .kind_count = thing_count > 0};
    k->kinds = dtx_alloc(count, sizeof *k->kinds);
    k->first = dtx_alloc(count + 1, sizeof *k->first);
    k->members = dtx_alloc(count, sizeof *k->members);
    k->sizes = dtx_alloc(count, sizeof *k->sizes);
    k->keys = dtx_alloc(count, sizeof *k->keys);
    if (k->kinds == NULL || k->first == NULL || k->members == NULL ||
        k->sizes == NULL || k->keys == NULL) {
        return -1;
    }
    if (thing_count > 0) {
        k->sizes[0] = thing_count;
    }
    return 0;
}

void
dtx_kinds_finish(struct dtx_kinds *k)
{
    dtx_free(k->kinds);
    dtx_free(k->first);
    dtx_free(k->members);
    dtx_free(k->sizes);
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

/* Makes things of one kind, whose keys are given, a kind of their own. */
static void
part(struct dtx_kinds *k, const struct dtx_kind_key *keys, int count)
{
    int i;

    k->sizes[keys->kind] -= count;
    k->sizes[k->kind_count] = count;
    for (i = 0; i < count; i++) {
        k->kinds[keys[i].thing] = k->kind_count;
    }
    k->kind_count++;
}

/* Parts the first things by their keys, unless they are all that is left of
 * their kind. */
static void
split_keys(struct dtx_kinds *k, int count)
{
    const struct dtx_kind_key *keys = k->keys;
    int first = 0, i;

    dtx_sort(k->keys, (size_t)count, sizeof *k->keys, compare_keys);
    for (i = 1; i <= count; i++) {
        if (i < count && keys[i].kind == keys[first].kind &&
            keys[i].value == keys[first].value) {
            continue;
        }
        if (i - first < k->sizes[keys[first].kind]) {
            part(k, &keys[first], i - first);
        }
        first = i;
    }
}

void
dtx_kinds_split(struct dtx_kinds *k, const int *values)
{
    int i;

    if (dtx_kinds_are_single(k) || !splits(k, values)) {
        return;
    }
    for (i = 0; i < k->thing_count; i++) {
        k->keys[i] = (struct dtx_kind_key){k->kinds[i], values[i], i};
    }
    split_keys(k, k->thing_count);
}

void
dtx_kinds_split_some(struct dtx_kinds *k, const int *things, const int *values,
                     int count)
{
    int i;

    if (count == 0 || dtx_kinds_are_single(k)) {
        return;
    }
    for (i = 0; i < count; i++) {
        k->keys[i] =
            (struct dtx_kind_key){k->kinds[things[i]], values[i], things[i]};
    }
    split_keys(k, count);
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
