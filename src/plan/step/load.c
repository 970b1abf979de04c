#include "plan/step/load.h"

#include "plan/send/relay.h"
#include "plan/send/senders.h"
#include "util/alloc.h"
#include "util/math.h"

/* One dim of a class on one side: pieces and how they are cut. */
struct cut_dim {
    const struct dtx_overlap *overlap;
    bool from_source;
    int64_t shares; /* each pair can be cut into so many first */
    int64_t parts;  /* then each share */
    int64_t slab;   /* no part is longer; 0: it has no limit, parts cut pairs */
};

/* The elements of one part that a piece of a dim meets at most: the sum, over
 * the piece's pairs, of the largest part. */
static int64_t
piece_length(const struct cut_dim *d, int piece)
{
    const struct dtx_overlap *o = d->overlap;
    const int *first = d->from_source ? o->src_first : o->dst_first;
    int64_t sum = 0;
    int i;

    for (i = first[piece]; i < first[piece + 1]; i++) {
        const struct dtx_pair *pair =
            &o->pairs[d->from_source ? i : o->dst_pairs[i]];
        int64_t share = dtx_ceil_div(pair->length, d->shares);

        sum += d->slab > 0 ? pair->length
                           : d->shares * dtx_ceil_div(share, d->parts);
    }
    return d->slab > 0 ? dtx_min(sum, d->slab) : sum;
}

/* The longest slab of a dim; 0 where parts cut pairs. */
static int64_t
slab_length(const struct dtx_class *c, int dim, const int64_t *part_counts)
{
    int64_t extent = c->src->tiling->dims[dim].logical;

    return dtx_class_has_slabs(c)
               ? dtx_max(1, dtx_ceil_div(extent, part_counts[dim]))
               : 0;
}

/* piece_length() of all pieces of all dims, one after another. */
static int64_t *
piece_lengths(const struct dtx_class *c, bool from_source,
              const int64_t *part_counts)
{
    size_t total = 0;
    int64_t *lengths, *next;
    int dim, piece;

    for (dim = 0; dim < c->ndim; dim++) {
        total += (size_t)(from_source ? c->overlaps[dim]->src_count
                                      : c->overlaps[dim]->dst_count);
    }
    lengths = next = dtx_alloc(total, sizeof *lengths);
    for (dim = 0; dim < c->ndim && lengths != NULL; dim++) {
        const struct dtx_overlap *o = c->overlaps[dim];
        int count = from_source ? o->src_count : o->dst_count;
        struct cut_dim cut = {.overlap = o,
                              .from_source = from_source,
                              .shares =
                                  dim == c->split_dim ? c->share_count : 1,
                              .parts = part_counts[dim],
                              .slab = slab_length(c, dim, part_counts)};

        for (piece = 0; piece < count; piece++) {
            *next++ = piece_length(&cut, piece);
        }
    }
    return lengths;
}

static uint64_t
shard_bytes(const struct dtx_class *c, const struct dtx_side *side, int shard,
            const int64_t *lengths)
{
    int pieces[DTX_NDIM_MAX];
    uint64_t bytes = c->wire_bytes;
    int dim;

    dtx_side_pieces(side, shard, pieces);
    for (dim = 0; dim < c->ndim; dim++) {
        bytes *= (uint64_t)lengths[pieces[dim]];
        lengths += side->tiling->dims[dim].piece_count;
    }
    return bytes;
}

/* The processes that need a target shard, at most. */
static int64_t
most_receivers(const struct dtx_side *dst)
{
    int64_t most = 0;
    int i;

    for (i = 0; i < dst->shard_count; i++) {
        most = dtx_max(most, dst->process_first[i + 1] - dst->process_first[i]);
    }
    return most;
}

/* ---------------------------------------------------------------- senders */

/* Bytes of one part of one share of a transfer, at most. */
static uint64_t
share_bytes(const struct dtx_walk *walk, const int64_t *part_counts)
{
    const struct dtx_class *c = walk->c;
    uint64_t bytes = c->wire_bytes;
    int dim;

    for (dim = 0; dim < c->ndim; dim++) {
        int64_t length = walk->pairs[dim]->length;
        int64_t slab = slab_length(c, dim, part_counts);

        if (dim == c->split_dim) {
            length = dtx_ceil_div(length, c->share_count);
        }
        bytes *= (uint64_t)(slab > 0 ? dtx_min(length, slab)
                                     : dtx_ceil_div(length, part_counts[dim]));
    }
    return bytes;
}

/* Adds what the holders of a shard send of one transfer. */
static void
add_transfer(const struct dtx_walk *walk, int shard, uint64_t bytes,
             uint64_t *sums, int *last)
{
    const struct dtx_class *c = walk->c;
    int first = c->dst->process_first[walk->other];
    int count = c->dst->process_first[walk->other + 1] - first;
    int i, k, shares;

    for (i = 0; i < count; i++) {
        if (dtx_side_has(c->src, c->dst->processes[first + i], shard)) {
            continue;
        }
        for (k = 0; k < c->share_count; k += shares) {
            int holder =
                dtx_senders_next(c, shard, walk->other, i, k, last, &shares);

            sums[holder] += (uint64_t)shares * bytes;
        }
    }
}

/* What each holder of each shard sends to others of one part, in the order of
 * the source side's processes. NULL when out of memory. */
static uint64_t *
sender_loads(const struct dtx_class *c, const int64_t *lengths,
             const int64_t *part_counts)
{
    uint64_t *loads = dtx_alloc((size_t)c->src->use_count, sizeof *loads);
    uint64_t receivers = (uint64_t)most_receivers(c->dst);
    struct dtx_walk walk;
    int shard, last;

    for (shard = 0; shard < c->src->shard_count && loads != NULL; shard++) {
        int first = c->src->process_first[shard];

        if (c->src->process_first[shard + 1] - first == 1) {
            loads[first] = receivers * shard_bytes(c, c->src, shard, lengths);
            continue;
        }
        last = -1;
        dtx_walk_begin(&walk, c, true, shard);
        while (dtx_walk_next(&walk)) {
            add_transfer(&walk, shard, share_bytes(&walk, part_counts),
                         &loads[first], &last);
        }
    }
    return loads;
}

/* ---------------------------------------------------------------- relays */

/* What processes send in one round of a class with relays. */
struct relay_loads {
    int round;
    uint64_t share_bytes; /* of one part of one share */
    uint64_t *sums;       /* by process */
};

static void
add_flow(void *context, const struct dtx_relay_flow *flow)
{
    const struct relay_loads *r = context;

    if (flow->round == r->round) {
        r->sums[flow->giver] += (uint64_t)flow->receiver_count * r->share_bytes;
    }
}

/* The processes of both sides, ascending, each with what its target shards
 * take; those that only send with nothing. */
static int
list_processes(const struct dtx_class *c, const int64_t *dst_lengths,
               struct dtx_load *loads)
{
    const struct dtx_use *s = c->src->uses, *s_end = s + c->src->use_count;
    const struct dtx_use *d = c->dst->uses, *d_end = d + c->dst->use_count;
    int count = 0;

    while (s < s_end || d < d_end) {
        bool sends = d == d_end || (s < s_end && s->process <= d->process);
        const struct dtx_use *use = sends ? s++ : d++;

        if (count == 0 || loads[count - 1].process != use->process) {
            loads[count++] = (struct dtx_load){use->process, 0};
        }
        loads[count - 1].bytes +=
            sends ? 0 : shard_bytes(c, c->dst, use->shard, dst_lengths);
    }
    return count;
}

/* round_loads() of a class with relays, whose first round's class is given:
 * what it gets of its target shards, and keeps, is no more than those. */
static int
relay_loads(const struct dtx_class *first, int round,
            const int64_t *part_counts, struct dtx_arena *arena,
            struct dtx_load **loads_out)
{
    size_t most = (size_t)first->src->use_count + (size_t)first->dst->use_count;
    struct dtx_load *loads = dtx_arena_alloc(arena, most, sizeof *loads);
    int64_t *lengths = piece_lengths(first, false, part_counts);
    struct relay_loads r = {.round = round};
    struct dtx_walk walk;
    int count = -1, i;

    if (loads != NULL && lengths != NULL) {
        count = list_processes(first, lengths, loads);
        r.sums =
            dtx_alloc((size_t)loads[count - 1].process + 1, sizeof *r.sums);
    }
    dtx_free(lengths);
    if (r.sums == NULL) {
        return -1;
    }
    for (i = 0; i < first->src->shard_count; i++) {
        dtx_walk_begin(&walk, first, true, i);
        while (dtx_walk_next(&walk)) {
            r.share_bytes = share_bytes(&walk, part_counts);
            dtx_relay_each(&walk, i, add_flow, &r);
        }
    }
    for (i = 0; i < count; i++) {
        loads[i].bytes += r.sums[loads[i].process];
    }
    dtx_free(r.sums);
    *loads_out = loads;
    return count;
}

/* ---------------------------------------------------------------- processes */

/* Merges the uses of both sides, which are sorted by process, into loads.
 * senders is NULL where each process sends to itself alone. */
static int
merge_loads(const struct dtx_class *c, const uint64_t *senders,
            const int64_t *dst_lengths, struct dtx_load *loads)
{
    int s = senders != NULL ? 0 : c->src->use_count;
    int d = 0, count = 0;

    while (s < c->src->use_count || d < c->dst->use_count) {
        bool from_source = d >= c->dst->use_count ||
                           (s < c->src->use_count &&
                            c->src->uses[s].process <= c->dst->uses[d].process);
        const struct dtx_use *use =
            from_source ? &c->src->uses[s++] : &c->dst->uses[d++];
        uint64_t bytes =
            from_source ? senders[c->src->process_first[use->shard] +
                                  dtx_side_process_index(c->src, use->shard,
                                                         use->process)]
                        : (uint64_t)dtx_class_terms(c) *
                              shard_bytes(c, c->dst, use->shard, dst_lengths);

        if (count == 0 || loads[count - 1].process != use->process) {
            loads[count++] = (struct dtx_load){use->process, 0};
        }
        loads[count - 1].bytes += bytes;
    }
    return count;
}

/* The loads of one round, ascending by process. */
static int
round_loads(const struct dtx_class *c, const int64_t *part_counts,
            struct dtx_arena *arena, struct dtx_load **loads_out)
{
    bool sends = c->strategy != DTX_STRATEGY_DIRECT;
    int64_t *src_lengths = piece_lengths(c, true, part_counts);
    int64_t *dst_lengths = piece_lengths(c, false, part_counts);
    uint64_t *senders = sends && src_lengths != NULL
                            ? sender_loads(c, src_lengths, part_counts)
                            : NULL;
    size_t most = (size_t)c->src->use_count + (size_t)c->dst->use_count;
    struct dtx_load *loads = dtx_arena_alloc(arena, most, sizeof *loads);
    int count = -1;

    if (dst_lengths != NULL && loads != NULL && (senders != NULL || !sends)) {
        count = merge_loads(c, senders, dst_lengths, loads);
        *loads_out = loads;
    }
    dtx_free(src_lengths);
    dtx_free(dst_lengths);
    dtx_free(senders);
    return count;
}

/* Joins two lists of loads, of each process the larger one. Returns how many,
 * or -1 when out of memory. */
static int
join_loads(struct dtx_arena *arena, struct dtx_load **loads, int count,
           struct dtx_load *more, int more_count)
{
    size_t most = (size_t)count + (size_t)more_count;
    const struct dtx_load *a = *loads, *b = more, *a_end, *b_end;
    struct dtx_load *joined;
    int n = 0;

    if (count == 0 || more_count == 0) { /* a list of none may be NULL */
        *loads = count == 0 ? more : *loads;
        return count + more_count;
    }
    joined = dtx_arena_alloc(arena, most, sizeof *joined);
    if (joined == NULL) {
        return -1;
    }
    a_end = a + count;
    b_end = b + more_count;
    while (a < a_end || b < b_end) {
        bool takes_a = b == b_end || (a < a_end && a->process <= b->process);
        bool takes_b = a == a_end || (b < b_end && b->process <= a->process);

        joined[n] = takes_a ? *a : *b;
        if (takes_a && takes_b && b->bytes > a->bytes) {
            joined[n].bytes = b->bytes;
        }
        a += takes_a;
        b += takes_b;
        n++;
    }
    *loads = joined;
    return n;
}

int
dtx_class_loads(const struct dtx_class *c, const int64_t *part_counts,
                struct dtx_arena *arena, struct dtx_load **loads_out)
{
    struct dtx_load *loads = NULL;
    const struct dtx_class *round;
    int count = 0;

    for (round = c; round != NULL && count >= 0; round = round->next) {
        struct dtx_load *more;
        int more_count =
            c->relays != NULL
                ? relay_loads(c, round->round, part_counts, arena, &more)
                : round_loads(round, part_counts, arena, &more);

        if (more_count < 0) {
            return -1;
        }
        count = join_loads(arena, &loads, count, more, more_count);
    }
    *loads_out = loads;
    return count;
}
