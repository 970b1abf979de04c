/*
 * Layout classes: tensors with equal shape, element sizes and placements on
 * both sides share one plan.
 *
 * A class knows both sides and the overlap of their tilings in every dim. Its
 * transfers are the products of pairs over the dims; walks enumerate those of
 * one shard. The transfers of a source shard that several processes hold are
 * cut into shares along split_dim, so that the holders share the load
 * (senders.h).
 *
 * What a process gets need not be what it writes: under `materialize` dst is
 * a side of one shard, the whole tensor, which all processes of the target
 * get; `final` says what they take of it.
 *
 * Under `redistribute` a class can have rounds: what a round brings stays in
 * memory (store.h) and is where the next one takes it from. dst is then where
 * a round ends; only that of the last round is the target's. A class with
 * relays has rounds too, all between the same sides (relay.h).
 */
#ifndef DTX_PLAN_CLASS_CLASS_H
#define DTX_PLAN_CLASS_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/plan.h>

#include "plan/class/overlap.h"
#include "plan/class/side.h"

struct dtx_relays;
struct dtx_senders;

struct dtx_class {
    int index;
    int tensor; /* the first of the class */
    enum dtx_strategy strategy;
    int ndim;
    const struct dtx_side *src;
    const struct dtx_side *dst;          /* who gets what */
    const struct dtx_side *final;        /* the target's; mostly dst itself */
    const struct dtx_overlap **overlaps; /* [ndim] of src and dst */
    const struct dtx_overlap **cuts;     /* [ndim] of dst and final, where each
                                            takes its part; NULL: they agree */
    size_t src_bytes;                    /* of an element in the source */
    size_t dst_bytes;
    size_t wire_bytes; /* the narrower of both; of terms, the source's */
    int64_t elements;  /* logical, of one tensor */
    uint64_t needed;   /* bytes of one tensor that processes need */
    uint64_t lacking;  /* of these, what they don't hold themselves */
    /* Under `redistribute` a tensor may go in rounds. */
    int round;                       /* how many come before this one */
    struct dtx_class *next;          /* the round after it; NULL: the last */
    const struct dtx_class *optimal; /* from one end to the other */
    uint64_t moved, kept;   /* of all tensors, set by dtx_plan_weigh() */
    int64_t instance_count; /* tensors of the class */
    int share_count;        /* of a transfer that several can send */
    int split_dim;          /* along which it is cut into them */
    const struct dtx_senders *senders;      /* who sends them; NULL: any */
    const struct dtx_relays *relays;        /* who passes on; NULL: nobody */
    const struct dtx_plan_options *options; /* the plan's; NULL: none */
};

/* True where the plan that is being made isn't wanted any more. Walks are empty
 * then, so that what looks at all transfers ends soon, and what finds it so may
 * fail as if memory were short: why is asked once more at the end. False of a
 * plan that is made, and of no plan (NULL). */
bool dtx_is_unwanted(const struct dtx_plan_options *options);

/* One or several processes' shares of a transfer: elements [lo, hi) of the
 * pair along split_dim. */
struct dtx_share {
    int process; /* that sends it */
    int holder;  /* its index among those that have the shard */
    int64_t lo, hi;
};

/* The i-th of count nearly equal parts of length elements begins here. */
static inline int64_t
dtx_cut(int64_t length, int64_t count, int64_t i)
{
    int64_t rest = length % count;

    return length / count * i + (i < rest ? i : rest);
}

static inline bool
dtx_class_has_rounds(const struct dtx_class *c)
{
    return c->round > 0 || c->next != NULL;
}

/* True for a class whose rounds go between different sides: its parts are
 * slabs of the tensor's own indices, so that a part is the same to each. */
static inline bool
dtx_class_has_slabs(const struct dtx_class *c)
{
    return dtx_class_has_rounds(c) && c->relays == NULL;
}

static inline int
dtx_class_round_count(const struct dtx_class *c)
{
    int count = 1;

    for (; c->next != NULL; c = c->next) {
        count++;
    }
    return count;
}

/* The terms of the source of which a target shard is made: all, but where
 * what is pending stays pending on the way. */
static inline int
dtx_class_terms(const struct dtx_class *c)
{
    return c->src->term_count / c->dst->term_count;
}

/* The bytes of a stage that one element takes at most: in the widest of its
 * types, and of each term. */
size_t dtx_class_stage_bytes(const struct dtx_class *c);

/* Sets share_count and split_dim: as many shares as wanted, >= 1, where they
 * keep so many bytes at least. */
void dtx_class_choose_shares(struct dtx_class *c, int64_t wanted,
                             int64_t bytes_least);

/* Into how many shares the transfers of a source shard are cut: alike for all
 * terms, however many processes hold each. */
int dtx_class_share_count(const struct dtx_class *c, int src_shard);

/*
 * The i-th share of the transfer from a source shard to a target shard for
 * its receiver-th receiver (an index into the target shard's processes).
 *
 * pair_length  elements of the pair in split_dim (1 for a scalar)
 */
struct dtx_share dtx_class_share(const struct dtx_class *c, int src_shard,
                                 int dst_shard, int receiver, int i,
                                 int64_t pair_length);

/* The process reads it from this position under the strategy `direct`. */
int dtx_class_direct_position(const struct dtx_class *c, int src_shard,
                              int dst_shard);

/*
 * A walk over the transfers of one shard, in ascending order of the shards on
 * the other side.
 */
struct dtx_walk {
    const struct dtx_class *c;
    bool from_source;
    int first[DTX_NDIM_MAX]; /* in src_first or dst_first order */
    int end[DTX_NDIM_MAX];
    int at[DTX_NDIM_MAX];
    bool started;
    int other;      /* shard on the other side: a source's of the first term */
    int other_term; /* what the shard's own term adds to it */
    const struct dtx_pair *pairs[DTX_NDIM_MAX]; /* [ndim] */
};

/* shard is on the source side where from_source, else on the target side. */
void dtx_walk_begin(struct dtx_walk *walk, const struct dtx_class *c,
                    bool from_source, int shard);

/* Moves to the next transfer; false at the end. */
bool dtx_walk_next(struct dtx_walk *walk);

/* How many transfers a walk that has just begun will find. */
int64_t dtx_walk_count(const struct dtx_walk *walk);

/* Elements of the transfer that the walk stands on. */
int64_t dtx_walk_elements(const struct dtx_walk *walk);

#endif
