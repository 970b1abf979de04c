/*
 * Kinds: things that are equal in all that matters are of one kind.
 *
 * All start as one kind; each list of values splits the kinds whose things
 * have different ones. Ranks that hold the same of every tensor, and processes
 * that have the same, are decided on together.
 */
#ifndef DTX_PLAN_MAP_KINDS_H
#define DTX_PLAN_MAP_KINDS_H

#include <stdbool.h>

struct dtx_kind_key {
    int kind, value, thing;
};

struct dtx_kinds {
    int thing_count;
    int kind_count;
    int *kinds;   /* [thing_count] */
    int *first;   /* [kind_count + 1] into members; after dtx_kinds_list() */
    int *members; /* [thing_count] ascending in each kind */
    int *sizes;   /* [kind_count] things of each */
    struct dtx_kind_key *keys; /* [thing_count] scratch */
};

/* Returns -1 when out of memory; finish it then too. */
int dtx_kinds_init(struct dtx_kinds *kinds, int thing_count);
void dtx_kinds_finish(struct dtx_kinds *kinds);

/* values  [thing_count] */
void dtx_kinds_split(struct dtx_kinds *kinds, const int *values);

/*
 * The same where most things have no value, which is a value of its own.
 *
 * things  [count] those that have one, each once
 * values  [count] of these
 */
void dtx_kinds_split_some(struct dtx_kinds *kinds, const int *things,
                          const int *values, int count);

/* True where nothing is left to be split. */
static inline bool
dtx_kinds_are_single(const struct dtx_kinds *kinds)
{
    return kinds->kind_count == kinds->thing_count;
}

/* Numbers the kinds by their lowest thing, and lists their members. */
void dtx_kinds_list(struct dtx_kinds *kinds);

#endif
