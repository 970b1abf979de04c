#include "plan/totals.h"

#include <string.h>

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

/* Elements of a target shard that the process has in its own source shards,
 * each term counted. */
static int64_t
kept_elements(const struct dtx_class *c, const struct dtx_use *use)
{
    int first, i, count = dtx_side_uses(c->src, use->process, &first);
    int src[DTX_NDIM_MAX], dst[DTX_NDIM_MAX];
    int64_t kept = 0;

    if (count == c->src->shard_count) {
        return dtx_side_elements(c->dst, use->shard) * dtx_class_terms(c);
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

void
dtx_class_measure(struct dtx_class *c)
{
    uint64_t needed = 0, kept = 0;
    int i;

    for (i = 0; i < c->dst->use_count; i++) {
        const struct dtx_use *use = &c->dst->uses[i];

        needed += (uint64_t)(dtx_side_elements(c->dst, use->shard) *
                             dtx_class_terms(c));
        kept += (uint64_t)kept_elements(c, use);
    }
    c->needed = needed * c->wire_bytes;
    c->lacking = (needed - kept) * c->wire_bytes;
}

/* ---------------------------------------------------------------- targets */

/* What a process writes of a shard: each of its datasets. */
static int64_t
datasets_written(const struct dtx_plan *plan, const struct dtx_side *dst,
                 const struct dtx_use *use)
{
    int64_t count = 0;
    int i;

    for (i = dst->shard_first[use->shard]; i < dst->shard_first[use->shard + 1];
         i++) {
        int position = dst->positions[i];

        count += plan->dst_process[position] == use->process &&
                 dtx_plan_writes(plan, dst, position);
    }
    return count;
}

/* Adds what the receivers of a class get and keep. */
static void
add_receivers(const struct dtx_class *c, uint64_t count,
              struct dtx_process_cost *processes)
{
    bool direct = c->strategy == DTX_STRATEGY_DIRECT;
    int i;

    for (i = 0; i < c->dst->use_count; i++) {
        const struct dtx_use *use = &c->dst->uses[i];
        struct dtx_process_cost *p = &processes[use->process];
        uint64_t needed = (uint64_t)dtx_side_elements(c->dst, use->shard) *
                          (uint64_t)dtx_class_terms(c);
        uint64_t kept = direct ? needed : (uint64_t)kept_elements(c, use);

        p->kept += count * kept * c->wire_bytes;
        p->received += count * (needed - kept) * c->wire_bytes;
        p->read += direct ? count * needed * c->src_bytes : 0;
    }
}

/* Adds what the processes of the target write. */
static void
add_writers(const struct dtx_plan *plan, const struct dtx_class *c,
            uint64_t count, struct dtx_process_cost *processes)
{
    int i;

    for (i = 0; i < c->final->use_count; i++) {
        const struct dtx_use *use = &c->final->uses[i];
        uint64_t own = (uint64_t)dtx_side_elements(c->final, use->shard);

        processes[use->process].written +=
            count * own * c->dst_bytes *
            (uint64_t)datasets_written(plan, c->final, use);
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

/* A shard that one process holds: it reads all of it once, and sends every
 * part to everyone else who needs it. */
static void
add_single_holder(const struct dtx_class *c, int shard, uint64_t count,
                  struct dtx_process_cost *processes)
{
    int holder = c->src->processes[c->src->process_first[shard]];
    struct dtx_walk walk;

    processes[holder].read +=
        count * read_bytes(c, (uint64_t)dtx_side_elements(c->src, shard));
    dtx_walk_begin(&walk, c, true, shard);
    while (dtx_walk_next(&walk)) {
        int needers = c->dst->process_first[walk.other + 1] -
                      c->dst->process_first[walk.other];

        if (dtx_side_find_use(c->dst, holder, walk.other) != NULL) {
            needers--;
        }
        processes[holder].sent += count * (uint64_t)needers *
                                  (uint64_t)dtx_walk_elements(&walk) *
                                  c->wire_bytes;
    }
}

/* One transfer of a shard that several processes hold. */
struct shared_transfer {
    const struct dtx_walk *walk;
    int shard;
    int share_count;
    int64_t length;   /* of the pair in split_dim */
    int64_t elements; /* per unit of length */
    bool *reads;      /* [holders * share_count] who reads which share */
    uint64_t count;   /* tensors */
};

/* Marks what one needer makes the holders read, and adds what they send. */
static void
add_needer(struct shared_transfer *t, int receiver, int process,
           struct dtx_process_cost *processes)
{
    const struct dtx_class *c = t->walk->c;
    int i, holder;

    if (dtx_side_find_use(c->src, process, t->shard) != NULL) {
        holder = dtx_side_process_index(c->src, t->shard, process);
        for (i = 0; i < t->share_count; i++) {
            t->reads[holder * t->share_count + i] = true;
        }
        return;
    }
    for (i = 0; i < t->share_count; i++) {
        struct dtx_share share = dtx_class_share(c, t->shard, t->walk->other,
                                                 receiver, i, t->length);

        holder = dtx_side_process_index(c->src, t->shard, share.process);
        t->reads[holder * t->share_count + i] = true;
        processes[share.process].sent +=
            t->count * (uint64_t)((share.hi - share.lo) * t->elements) *
            c->wire_bytes;
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
            int64_t share = dtx_cut(t->length, t->share_count, i + 1) -
                            dtx_cut(t->length, t->share_count, i);

            if (t->reads[h * t->share_count + i]) {
                processes[c->src->processes[first + h]].read +=
                    t->count * read_bytes(c, (uint64_t)(share * t->elements));
            }
        }
    }
}

static int
add_several_holders(const struct dtx_class *c, int shard, uint64_t count,
                    struct dtx_process_cost *processes)
{
    int holders =
        c->src->process_first[shard + 1] - c->src->process_first[shard];
    struct dtx_walk walk;
    struct shared_transfer t = {.walk = &walk, .shard = shard, .count = count};
    size_t marks;

    t.share_count = dtx_class_share_count(c, shard);
    marks = (size_t)holders * (size_t)t.share_count;
    t.reads = dtx_alloc(marks, sizeof *t.reads);
    if (t.reads == NULL) {
        return -1;
    }
    dtx_walk_begin(&walk, c, true, shard);
    while (dtx_walk_next(&walk)) {
        int first = c->dst->process_first[walk.other];
        int needers = c->dst->process_first[walk.other + 1] - first;
        int i;

        t.length = c->ndim > 0 ? walk.pairs[c->split_dim]->length : 1;
        t.elements = dtx_walk_elements(&walk) / t.length;
        memset(t.reads, 0, marks * sizeof *t.reads);
        for (i = 0; i < needers; i++) {
            add_needer(&t, i, c->dst->processes[first + i], processes);
        }
        add_reads(&t, processes);
    }
    dtx_free(t.reads);
    return 0;
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
    for (shard = 0; shard < c->src->shard_count && !failed; shard++) {
        if (c->src->process_first[shard + 1] - c->src->process_first[shard] ==
            1) {
            add_single_holder(c, shard, count, processes);
        } else {
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
    for (round = c; round != NULL; round = round->next) {
        if (add_round(round, (uint64_t)count, processes) != 0) {
            return -1;
        }
    }
    return 0;
}
