#include "plan/weigh/totals.h"

#include <limits.h>
#include <string.h>

#include "plan/send/relay.h"
#include "plan/send/senders.h"
#include "plan/weigh/pending.h"
#include "util/alloc.h"
#include "util/math.h"

/* Elements that a source and a target shard share. */
static int64_t
shared_elements(const struct dtx_class *c, const int *src, const int *dst)
{
    int64_t elements = 1;
    int dim;

    for (dim = 0; dim < c->ndim; dim++) {
        const struct dtx_pair *pair =
            dtx_overlap_find(c->overlaps[dim], src[dim], dst[dim]);

        if (pair == NULL) {
            return 0;
        }
        elements *= pair->length;
    }
    return elements;
}

/* True where the target shard takes the source shard's term. */
static bool
gets_term(const struct dtx_class *c, int src_shard, int dst_shard)
{
    return c->dst->term_count == 1 || src_shard / c->src->product_count ==
                                          dst_shard / c->dst->product_count;
}

/* kept_elements(), by the transfers that the shard gets. */
static int64_t
kept_by_transfers(const struct dtx_class *c, const struct dtx_use *use,
                  struct dtx_walk *walk)
{
    int64_t kept = 0;
    int term;

    while (dtx_walk_next(walk)) {
        for (term = 0; term < c->src->term_count; term++) {
            int shard = walk->other + term * c->src->product_count;

            if (gets_term(c, shard, use->shard) &&
                dtx_side_has(c->src, use->process, shard)) {
                kept += dtx_walk_elements(walk);
            }
        }
    }
    return kept;
}

/* Elements of a target shard that the process has in its own source shards,
 * whose uses are given, each term counted. */
static int64_t
kept_elements(const struct dtx_class *c, const struct dtx_use *use,
              const struct dtx_use_range *own)
{
    int first = own->first, i, count = own->count;
    int src[DTX_NDIM_MAX], dst[DTX_NDIM_MAX];
    struct dtx_walk walk;
    int64_t kept = 0;

    if (count == 0) {
        return 0;
    }
    if (count == c->src->shard_count) {
        return dtx_side_elements(c->dst, use->shard) * dtx_class_terms(c);
    }
    dtx_walk_begin(&walk, c, false, use->shard);
    if (dtx_walk_count(&walk) * c->src->term_count < count) {
        return kept_by_transfers(c, use, &walk);
    }
    dtx_side_pieces(c->dst, use->shard, dst);
    for (i = 0; i < count; i++) {
        int shard = c->src->uses[first + i].shard;

        if (gets_term(c, shard, use->shard)) {
            dtx_side_pieces(c->src, shard, src);
            kept += shared_elements(c, src, dst);
        }
    }
    return kept;
}

/* What a class lacks whose terms are reduced once: the terms where that is
 * done, and then each other process the value. */
static uint64_t
lacking_when_shared(const struct dtx_class *c)
{
    int64_t lacking = 0;
    int shard;

    for (shard = 0; shard < c->dst->shard_count; shard++) {
        const struct dtx_use *use = dtx_pending_reducer(c, shard);
        int64_t elements = dtx_side_elements(c->dst, shard);
        int needers =
            c->dst->process_first[shard + 1] - c->dst->process_first[shard];
        struct dtx_use_range own = {0};

        own.count = dtx_side_uses(c->src, use->process, &own.first);
        lacking += elements * dtx_class_terms(c) - kept_elements(c, use, &own) +
                   elements * (needers - 1);
    }
    return (uint64_t)lacking * c->wire_bytes;
}

void
dtx_class_measure(struct dtx_class *c)
{
    uint64_t needed = 0, kept = 0;
    struct dtx_use_range own = {0};
    int i;

    for (i = 0; i < c->dst->use_count; i++) {
        const struct dtx_use *use = &c->dst->uses[i];

        needed += (uint64_t)(dtx_side_elements(c->dst, use->shard) *
                             dtx_class_terms(c));
        dtx_side_advance(c->src, use->process, &own);
        kept += (uint64_t)kept_elements(c, use, &own);
    }
    c->needed = needed * c->wire_bytes;
    c->lacking = dtx_pending_is_shared(c) ? lacking_when_shared(c)
                                          : (needed - kept) * c->wire_bytes;
}

/* ---------------------------------------------------------------- targets */

/* Adds what the receivers of a class get and keep. */
static void
add_receivers(const struct dtx_class *c, uint64_t count,
              struct dtx_process_cost *processes)
{
    bool direct = c->strategy == DTX_STRATEGY_DIRECT;
    struct dtx_use_range own = {0};
    int i;

    for (i = 0; i < c->dst->use_count; i++) {
        const struct dtx_use *use = &c->dst->uses[i];
        struct dtx_process_cost *p = &processes[use->process];
        uint64_t needed = (uint64_t)dtx_side_elements(c->dst, use->shard) *
                          (uint64_t)dtx_class_terms(c);
        uint64_t kept = needed;

        if (!direct) {
            dtx_side_advance(c->src, use->process, &own);
            kept = (uint64_t)kept_elements(c, use, &own);
        }
        *(c->round == 0 ? &p->kept : &p->passed) +=
            count * kept * c->wire_bytes;
        p->received += count * (needed - kept) * c->wire_bytes;
        p->read += direct ? count * needed * c->src_bytes : 0;
    }
}

/* Adds what the processes of the target write: each dataset of a shard. */
static void
add_writers(const struct dtx_plan *plan, const struct dtx_class *c,
            uint64_t count, struct dtx_process_cost *processes)
{
    const struct dtx_side *side = c->final;
    int shard, i;

    for (shard = 0; shard < side->shard_count; shard++) {
        uint64_t bytes =
            count * (uint64_t)dtx_side_elements(side, shard) * c->dst_bytes;

        for (i = side->shard_first[shard]; i < side->shard_first[shard + 1];
             i++) {
            int position = side->positions[i];

            if (dtx_plan_writes(plan, side, position)) {
                processes[plan->dst_process[position]].written += bytes;
            }
        }
    }
}

/* ---------------------------------------------------------------- sources */

/* The bytes that a process reads for so many elements: of a later round, none.
 */
static uint64_t
read_bytes(const struct dtx_class *c, uint64_t elements)
{
    return c->round == 0 ? elements * c->src_bytes : 0;
}

/* The processes that need each target shard, where it is the same number for
 * all; else -1. */
static int
needers_of_each(const struct dtx_side *dst)
{
    int needers = dst->process_first[1] - dst->process_first[0], i;

    for (i = 1; i < dst->shard_count; i++) {
        if (dst->process_first[i + 1] - dst->process_first[i] != needers) {
            return -1;
        }
    }
    return needers;
}

/* Elements that a shard's holder sends, transfer by transfer, each to most
 * processes at most. */
static uint64_t
sent_by_transfers(const struct dtx_class *c, int holder, int most,
                  struct dtx_walk *walk)
{
    uint64_t sent = 0;

    while (dtx_walk_next(walk)) {
        int needers = c->dst->process_first[walk->other + 1] -
                      c->dst->process_first[walk->other];

        if (dtx_side_has(c->dst, holder, walk->other)) {
            needers--;
        }
        needers = needers < most ? needers : most;
        sent += (uint64_t)needers * (uint64_t)dtx_walk_elements(walk);
    }
    return sent;
}

/* Elements of a source shard that its holder needs in its target shards. */
static uint64_t
used_by_holder(const struct dtx_class *c, int shard,
               const struct dtx_use_range *own)
{
    int src[DTX_NDIM_MAX], dst[DTX_NDIM_MAX];
    uint64_t used = 0;
    int i;

    dtx_side_pieces(c->src, shard, src);
    for (i = own->first; i < own->first + own->count; i++) {
        dtx_side_pieces(c->dst, c->dst->uses[i].shard, dst);
        used += (uint64_t)shared_elements(c, src, dst);
    }
    return used;
}

/*
 * What the one holder of a shard sends of it. Where as many need each part,
 * that is arithmetic, and a million transfers are not gone through.
 *
 * needers  of each target shard; -1 where they differ
 * most     how often it sends a part at most
 * own      the holder's uses of target shards
 */
static uint64_t
sent_by_holder(const struct dtx_class *c, const struct dtx_use *use,
               int needers, int most, const struct dtx_use_range *own)
{
    uint64_t elements = (uint64_t)dtx_side_elements(c->src, use->shard);
    struct dtx_walk walk;

    dtx_walk_begin(&walk, c, true, use->shard);
    if (needers < 0 || c->dst->term_count > 1 ||
        dtx_walk_count(&walk) <= own->count) {
        return sent_by_transfers(c, use->process, most, &walk);
    }
    return needers > most ? elements * (uint64_t)most
                          : elements * (uint64_t)needers -
                                used_by_holder(c, use->shard, own);
}

static bool
has_one_holder(const struct dtx_class *c, int shard)
{
    return c->src->process_first[shard + 1] - c->src->process_first[shard] == 1;
}

/* Adds what shards that one process holds make it read, once each, and send. */
static void
add_sole(const struct dtx_class *c, uint64_t count, int most,
         struct dtx_process_cost *processes)
{
    int needers = needers_of_each(c->dst), i;
    struct dtx_use_range own = {0};

    for (i = 0; i < c->src->use_count; i++) {
        const struct dtx_use *use = &c->src->uses[i];
        struct dtx_process_cost *p = &processes[use->process];

        if (has_one_holder(c, use->shard)) {
            dtx_side_advance(c->dst, use->process, &own);
            p->read +=
                count *
                read_bytes(c, (uint64_t)dtx_side_elements(c->src, use->shard));
            p->sent += count * c->wire_bytes *
                       sent_by_holder(c, use, needers, most, &own);
        }
    }
}

void
dtx_class_add_sole(const struct dtx_class *c, uint64_t count,
                   struct dtx_process_cost *processes)
{
    add_sole(c, count, INT_MAX, processes);
}

/* One transfer of a shard that several processes hold. */
struct shared_transfer {
    const struct dtx_walk *walk;
    int shard;
    int share_count;
    int last;           /* dtx_senders_next()'s */
    uint64_t *elements; /* [share_count] of each share */
    bool *reads;        /* [holders * share_count] who reads which share */
    uint64_t count;     /* tensors */
};

/* Marks what one needer makes the holders read, and adds what they send. */
static void
add_needer(struct shared_transfer *t, int receiver, int process,
           struct dtx_process_cost *processes)
{
    const struct dtx_class *c = t->walk->c;
    const int *holders = &c->src->processes[c->src->process_first[t->shard]];
    int i, holder, end;

    if (dtx_side_has(c->src, process, t->shard)) {
        holder = dtx_side_process_index(c->src, t->shard, process);
        for (i = 0; i < t->share_count; i++) {
            t->reads[holder * t->share_count + i] = true;
        }
        return;
    }
    for (i = 0; i < t->share_count;) {
        uint64_t *sent;

        holder = dtx_senders_next(c, t->shard, t->walk->other, receiver, i,
                                  &t->last, &end);
        sent = &processes[holders[holder]].sent;
        for (end += i; i < end; i++) {
            t->reads[holder * t->share_count + i] = true;
            *sent += t->count * t->elements[i] * c->wire_bytes;
        }
    }
}

static void
add_reads(const struct shared_transfer *t, struct dtx_process_cost *processes)
{
    const struct dtx_class *c = t->walk->c;
    int first = c->src->process_first[t->shard];
    int holders = c->src->process_first[t->shard + 1] - first;
    int h, i;

    for (h = 0; h < holders; h++) {
        for (i = 0; i < t->share_count; i++) {
            if (t->reads[h * t->share_count + i]) {
                processes[c->src->processes[first + h]].read +=
                    t->count * read_bytes(c, t->elements[i]);
            }
        }
    }
}

/* Goes on to the next transfer of the shard. */
static void
begin_transfer(struct shared_transfer *t, size_t marks)
{
    const struct dtx_walk *walk = t->walk;
    int64_t length =
        walk->c->ndim > 0 ? walk->pairs[walk->c->split_dim]->length : 1;
    int64_t unit = dtx_walk_elements(walk) / length;
    int i;

    for (i = 0; i < t->share_count; i++) {
        t->elements[i] =
            (uint64_t)(unit * (dtx_cut(length, t->share_count, i + 1) -
                               dtx_cut(length, t->share_count, i)));
    }
    memset(t->reads, 0, marks * sizeof *t->reads);
}

static int
add_several_holders(const struct dtx_class *c, int shard, uint64_t count,
                    struct dtx_process_cost *processes)
{
    int holders =
        c->src->process_first[shard + 1] - c->src->process_first[shard];
    struct dtx_walk walk;
    struct shared_transfer t = {.walk = &walk, .shard = shard, .count = count};
    bool failed;
    size_t marks;

    t.share_count = dtx_class_share_count(c, shard);
    marks = (size_t)holders * (size_t)t.share_count;
    t.reads = dtx_alloc(marks, sizeof *t.reads);
    t.elements = dtx_alloc((size_t)t.share_count, sizeof *t.elements);
    failed = t.reads == NULL || t.elements == NULL;
    dtx_walk_begin(&walk, c, true, shard);
    while (!failed && dtx_walk_next(&walk)) {
        int first = c->dst->process_first[walk.other];
        int needers = c->dst->process_first[walk.other + 1] - first;
        int i;

        begin_transfer(&t, marks);
        for (i = 0; i < needers; i++) {
            add_needer(&t, i, c->dst->processes[first + i], processes);
        }
        add_reads(&t, processes);
    }
    dtx_free(t.reads);
    dtx_free(t.elements);
    return failed ? -1 : 0;
}

void
dtx_class_add_forced(const struct dtx_class *c, int64_t count,
                     struct dtx_process_cost *processes)
{
    add_receivers(c, (uint64_t)count, processes);
    add_sole(c, (uint64_t)count, 1, processes);
}

/* Adds what one round costs, but for the writing. */
static int
add_round(const struct dtx_class *c, uint64_t count,
          struct dtx_process_cost *processes)
{
    int shard, failed = 0;

    add_receivers(c, count, processes);
    if (c->strategy == DTX_STRATEGY_DIRECT) {
        return 0;
    }
    dtx_class_add_sole(c, count, processes);
    for (shard = 0; shard < c->src->shard_count && !failed; shard++) {
        if (!has_one_holder(c, shard)) {
            failed = add_several_holders(c, shard, count, processes);
        }
    }
    return failed;
}

int
dtx_class_add_costs(const struct dtx_plan *plan, const struct dtx_class *c,
                    int64_t count, struct dtx_process_cost *processes)
{
    const struct dtx_class *round;

    add_writers(plan, c, (uint64_t)count, processes);
    if (c->relays != NULL) {
        add_receivers(c, (uint64_t)count, processes);
        return dtx_relay_add_costs(c, (uint64_t)count, processes);
    }
    for (round = c; round != NULL; round = round->next) {
        if (add_round(round, (uint64_t)count, processes) != 0) {
            return -1;
        }
    }
    return 0;
}
