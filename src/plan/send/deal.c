/*
 * Dealing out what the holders of shards send.
 */
#include <stdlib.h>

#include "plan/send/deal.h"
#include "plan/send/level.h"
#include "plan/send/relay.h"
#include "plan/weigh/totals.h"
#include "util/alloc.h"
#include "util/math.h"

enum {
    SWEEPS_MOST = 64,
    SHARES_OF_TRANSFER_MOST = 256,
    SHARE_BYTES_LEAST = 65536,
    /* Shares of one class's transfers that are dealt out one by one. */
    SHARES_MOST = 1 << 18,
};

/* ---------------------------------------------------------------- drafts */

static int
deal_begin(struct dtx_deal *deal, size_t count)
{
    deal->amounts = dtx_alloc(count, sizeof *deal->amounts);
    deal->totals = dtx_alloc(count, sizeof *deal->totals);
    deal->counts = dtx_alloc(count, sizeof *deal->counts);
    deal->sizes = dtx_alloc(count, sizeof *deal->sizes);
    return deal->amounts == NULL || deal->totals == NULL ||
                   deal->counts == NULL || deal->sizes == NULL
               ? -1
               : 0;
}

static void
deal_finish(struct dtx_deal *deal)
{
    dtx_free(deal->amounts);
    dtx_free(deal->totals);
    dtx_free(deal->counts);
    dtx_free(deal->sizes);
}

static void
draft_finish(struct dtx_draft *draft)
{
    deal_finish(&draft->near);
    deal_finish(&draft->far);
}

/* A holder while those of a shard are sorted. */
struct holder {
    int node, index;
};

static int
compare_holders(const void *left, const void *right)
{
    const struct holder *a = left, *b = right;

    if (a->node != b->node) {
        return a->node < b->node ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Sets the order of all shards' holders. */
static int
sort_holders(const struct dtx_side *src, struct dtx_senders *senders)
{
    struct holder *holders = dtx_alloc((size_t)src->use_count, sizeof *holders);
    int shard, i;

    for (shard = 0; shard < src->shard_count && holders != NULL; shard++) {
        int first = src->process_first[shard];
        int count = src->process_first[shard + 1] - first;

        for (i = 0; i < count; i++) {
            holders[i] =
                (struct holder){senders->nodes != NULL
                                    ? senders->nodes[src->processes[first + i]]
                                    : 0,
                                i};
        }
        if (count > 1 && senders->nodes != NULL) {
            qsort(holders, (size_t)count, sizeof *holders, compare_holders);
        }
        for (i = 0; i < count; i++) {
            senders->order[first + i] = holders[i].index;
        }
    }
    dtx_free(holders);
    return holders == NULL ? -1 : 0;
}

static int
draft_begin(struct dtx_draft *draft, struct dtx_plan *plan, struct dtx_class *c)
{
    size_t count = (size_t)c->src->use_count;
    struct dtx_senders *s = dtx_arena_alloc(&plan->arena, 1, sizeof *s);

    *draft = (struct dtx_draft){.c = c, .senders = s};
    if (s == NULL || deal_begin(&draft->near, count) != 0 ||
        deal_begin(&draft->far, count) != 0) {
        return -1;
    }
    s->nodes = plan->nodes;
    s->order = dtx_arena_alloc(&plan->arena, count, sizeof *s->order);
    s->near_ends = dtx_arena_alloc(&plan->arena, count, sizeof *s->near_ends);
    s->far_ends = dtx_arena_alloc(&plan->arena, count, sizeof *s->far_ends);
    c->senders = s;
    return s->order == NULL || s->near_ends == NULL || s->far_ends == NULL
               ? -1
               : sort_holders(c->src, s);
}

/* ---------------------------------------------------------------- amounts */

/* Adds a transfer of so many bytes to what a group sends. */
static void
add_demand(struct dtx_deal *deal, int group, int64_t bytes)
{
    bool differs = deal->counts[group] > 0 && deal->sizes[group] != bytes;

    deal->totals[group] += bytes;
    deal->counts[group]++;
    deal->sizes[group] = differs ? -1 : bytes;
}

/* What a holder has to send one receiver of a transfer. */
static int64_t
transfer_bytes(const struct dtx_walk *walk, int shard, int receiver)
{
    const struct dtx_class *c = walk->c;
    int process =
        c->dst->processes[c->dst->process_first[walk->other] + receiver];
    int64_t elements = 0;
    int i;

    if (dtx_side_has(c->src, process, shard)) {
        return 0;
    }
    if (c->relays == NULL) {
        elements = dtx_walk_elements(walk);
    }
    for (i = 0; i < c->share_count && c->relays != NULL; i++) {
        elements += dtx_deal_elements(walk, shard, receiver, i);
    }
    return elements * (int64_t)c->wire_bytes * c->instance_count;
}

/* Adds what the receivers of one transfer need. */
static void
add_transfer(struct dtx_draft *draft, int shard, const struct dtx_walk *walk)
{
    const struct dtx_class *c = draft->c;
    const struct dtx_side *dst = c->dst;
    int i;

    for (i = dst->process_first[walk->other];
         i < dst->process_first[walk->other + 1]; i++) {
        struct dtx_senders_group g;
        int64_t bytes =
            transfer_bytes(walk, shard, i - dst->process_first[walk->other]);
        bool is_near;

        if (bytes > 0) {
            g = dtx_senders_for(c, shard, dst->processes[i], &is_near);
            add_demand(is_near ? &draft->near : &draft->far, g.first, bytes);
        }
    }
}

/* Adds up what is to be sent of every shard with several holders. */
static void
measure(struct dtx_draft *draft)
{
    const struct dtx_side *src = draft->c->src;
    struct dtx_walk walk;
    int shard;

    for (shard = 0; shard < src->shard_count; shard++) {
        if (dtx_senders_are_several(src, shard)) {
            dtx_walk_begin(&walk, draft->c, true, shard);
            while (dtx_walk_next(&walk)) {
                add_transfer(draft, shard, &walk);
            }
        }
    }
}

/* ---------------------------------------------------------------- levelling */

struct levelling {
    int64_t *loads;               /* [process_count] bytes that each sends */
    int64_t largest;              /* change of an amount in this sweep */
    struct dtx_level_part *parts; /* [process_count] scratch */
};

/* Levels what one group sends. */
static void
level_group(struct levelling *l, struct dtx_draft *draft, struct dtx_deal *deal,
            int shard, const struct dtx_senders_group *g)
{
    const struct dtx_side *src = draft->c->src;
    int count = g->end - g->first, i;

    if (deal->totals[g->first] == 0) {
        return;
    }
    for (i = 0; i < count; i++) {
        int process = src->processes[src->process_first[shard] +
                                     draft->senders->order[g->first + i]];
        int64_t *load = &l->loads[process];

        *load -= deal->amounts[g->first + i];
        l->parts[i] = (struct dtx_level_part){*load, 0, i, process};
    }
    dtx_level(l->parts, count, deal->totals[g->first]);
    for (i = 0; i < count; i++) {
        const struct dtx_level_part *part = &l->parts[i];
        int64_t *amount = &deal->amounts[g->first + part->index];

        l->largest = dtx_max(l->largest, part->amount > *amount
                                             ? part->amount - *amount
                                             : *amount - part->amount);
        *amount = part->amount;
        l->loads[part->process] += part->amount;
    }
}

/* Levels all groups of a draft once. */
static void
level_draft(struct levelling *l, struct dtx_draft *draft)
{
    const struct dtx_side *src = draft->c->src;
    int shard;

    for (shard = 0; shard < src->shard_count; shard++) {
        struct dtx_senders_group all = dtx_senders_all(draft->c, shard);
        struct dtx_senders_group g = {all.first, all.first};

        if (!dtx_senders_are_several(src, shard)) {
            continue;
        }
        while (g.first < all.end) {
            g = dtx_senders_beside(draft->c, shard, g.first);
            level_group(l, draft, &draft->near, shard, &g);
            g.first = g.end;
        }
        level_group(l, draft, &draft->far, shard, &all);
    }
}

static int64_t
largest_load(const int64_t *loads, int count)
{
    int64_t largest = 0;
    int i;

    for (i = 0; i < count; i++) {
        largest = dtx_max(largest, loads[i]);
    }
    return largest;
}

/* Sweeps over all drafts until no amount changes by much. */
static int
level_all(struct dtx_plan *plan, int64_t *loads, struct dtx_draft *drafts,
          size_t count)
{
    size_t processes = (size_t)plan->options.process_count, i;
    struct levelling l = {.loads = loads,
                          .parts = dtx_alloc(processes, sizeof *l.parts)};
    int sweep;

    for (sweep = 0; sweep < SWEEPS_MOST && l.parts != NULL &&
                    !dtx_is_unwanted(&plan->options);
         sweep++) {
        l.largest = 0;
        for (i = 0; i < count; i++) {
            level_draft(&l, &drafts[i]);
        }
        if (l.largest <= largest_load(loads, (int)processes) / 512) {
            break;
        }
    }
    dtx_free(l.parts);
    return l.parts != NULL ? 0 : -1;
}

/* ---------------------------------------------------------------- shares */

static int64_t
common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Into how many shares a group's transfers must be cut, for its holders to
 * send what they are meant to. */
static int64_t
shares_of_group(const struct dtx_deal *deal, const struct dtx_senders_group *g)
{
    int64_t least = INT64_MAX, most = 0, holders = g->end - g->first;
    int i;

    if (deal->totals[g->first] == 0) {
        return 1;
    }
    for (i = g->first; i < g->end; i++) {
        least = dtx_min(least, deal->amounts[i]);
        most = dtx_max(most, deal->amounts[i]);
    }
    return most - least <= most / 64 && deal->sizes[g->first] >= 0
               ? holders / common_divisor(deal->counts[g->first], holders)
               : INT64_MAX;
}

/* Shares that do for two groups; INT64_MAX: as many as there may be. */
static int64_t
combine(int64_t a, int64_t b)
{
    int64_t both;

    if (a == INT64_MAX || b == INT64_MAX ||
        dtx_mul_overflows(a / common_divisor(a, b), b, &both)) {
        return INT64_MAX;
    }
    return both;
}

/* Chooses the shares of a draft's class, as few as will do. */
static void
choose_shares(struct dtx_draft *draft)
{
    const struct dtx_side *src = draft->c->src;
    int64_t shares = 1, transfers = 1;
    int shard;

    if (draft->c->relays != NULL) { /* it has those of the relays */
        return;
    }
    for (shard = 0; shard < src->shard_count; shard++) {
        struct dtx_senders_group all = dtx_senders_all(draft->c, shard);
        struct dtx_senders_group g = {all.first, all.first};

        if (!dtx_senders_are_several(src, shard)) {
            continue;
        }
        while (g.first < all.end) {
            g = dtx_senders_beside(draft->c, shard, g.first);
            shares = combine(shares, shares_of_group(&draft->near, &g));
            transfers += draft->near.counts[g.first];
            g.first = g.end;
        }
        shares = combine(shares, shares_of_group(&draft->far, &all));
        transfers += draft->far.counts[all.first];
    }
    shares = dtx_min(shares, SHARES_OF_TRANSFER_MOST);
    dtx_class_choose_shares(
        draft->c, dtx_min(shares, dtx_max(1, SHARES_MOST / transfers)),
        SHARE_BYTES_LEAST);
}

/* ---------------------------------------------------------------- all */

static bool
needs_senders(const struct dtx_class *c)
{
    return c->strategy != DTX_STRATEGY_DIRECT &&
           (c->relays == NULL || c->round == 0) &&
           c->src->use_count > c->src->shard_count;
}

static size_t
count_drafts(int class_count, struct dtx_class *const *classes)
{
    size_t count = 0;
    int i;

    for (i = 0; i < class_count; i++) {
        const struct dtx_class *c;

        for (c = classes[i]; c != NULL; c = c->next) {
            count += needs_senders(c);
        }
    }
    return count;
}

/* Begins a draft for each class that needs one. Returns how many there are,
 * all of them to be finished; *failed_out where memory was short. */
static size_t
begin_all(struct dtx_plan *plan, struct dtx_class *const *classes,
          struct dtx_draft *drafts, bool *failed_out)
{
    size_t count = 0;
    int i;

    for (i = 0; i < plan->class_count && !*failed_out; i++) {
        struct dtx_class *c;

        for (c = classes[i]; c != NULL && !*failed_out; c = c->next) {
            if (needs_senders(c)) {
                *failed_out = draft_begin(&drafts[count++], plan, c) != 0;
                if (!*failed_out) {
                    measure(&drafts[count - 1]);
                }
            }
        }
    }
    return count;
}

/* Adds what processes send of shards that nobody else holds. */
static int
add_sole_senders(const struct dtx_plan *plan, struct dtx_class *const *classes,
                 int64_t *loads)
{
    size_t processes = (size_t)plan->options.process_count, p;
    struct dtx_process_cost *costs = dtx_alloc(processes, sizeof *costs);
    int i;

    if (costs == NULL) {
        return -1;
    }
    for (i = 0; i < plan->class_count; i++) {
        const struct dtx_class *c;

        if (classes[i]->relays != NULL) {
            dtx_relay_add_sole(classes[i], (uint64_t)classes[i]->instance_count,
                               costs);
            continue;
        }
        for (c = classes[i]; c != NULL; c = c->next) {
            if (c->strategy != DTX_STRATEGY_DIRECT) {
                dtx_class_add_sole(c, (uint64_t)c->instance_count, costs);
            }
        }
    }
    for (p = 0; p < processes; p++) {
        loads[p] = (int64_t)costs[p].sent;
    }
    dtx_free(costs);
    return 0;
}

int
dtx_senders_assign(struct dtx_plan *plan, struct dtx_class *const *classes)
{
    size_t count = count_drafts(plan->class_count, classes), i;
    struct dtx_draft *drafts;
    int64_t *loads;
    bool failed;

    if (count == 0) {
        return 0;
    }
    drafts = dtx_alloc(count, sizeof *drafts);
    loads = dtx_alloc((size_t)plan->options.process_count, sizeof *loads);
    failed = drafts == NULL || loads == NULL;
    count = failed ? 0 : begin_all(plan, classes, drafts, &failed);
    failed = failed || add_sole_senders(plan, classes, loads) != 0 ||
             level_all(plan, loads, drafts, count) != 0;
    for (i = 0; i < count; i++) {
        if (!failed) {
            choose_shares(&drafts[i]);
            failed = dtx_deal_pieces(&drafts[i]) != 0;
        }
        draft_finish(&drafts[i]);
    }
    dtx_free(drafts);
    dtx_free(loads);
    return failed ? -1 : 0;
}
