/*
 * The pieces of each line that its holders send.
 */
#include "plan/send/deal.h"
#include "plan/send/relay.h"
#include "util/alloc.h"

int64_t
dtx_deal_elements(const struct dtx_walk *walk, int shard, int receiver,
                  int share)
{
    const struct dtx_class *c = walk->c;
    int64_t length = c->ndim > 0 ? walk->pairs[c->split_dim]->length : 1;
    int process =
        c->dst->processes[c->dst->process_first[walk->other] + receiver];

    if (dtx_side_has(c->src, process, shard) ||
        (c->relays != NULL &&
         dtx_relay_find(c, shard, walk->other, receiver, share).round > 0)) {
        return 0;
    }
    return (dtx_cut(length, c->share_count, share + 1) -
            dtx_cut(length, c->share_count, share)) *
           (dtx_walk_elements(walk) / length);
}

/* How far a group's line has been dealt out: what its holders up to the one
 * whose turn it is are meant to send, and what has been. */
struct progress {
    int at;
    int64_t goal, sent;
};

/* Deals out one share. */
static void
deal_share(const struct dtx_deal *deal, int64_t *ends,
           const struct dtx_senders_group *g, struct progress *p, int64_t bytes,
           int64_t place)
{
    while (p->at < g->end - 1 && p->sent + bytes / 2 >= p->goal) {
        ends[p->at++] = place;
        p->goal += deal->amounts[p->at];
    }
    p->sent += bytes;
}

/* Deals out what the receivers of one transfer get. */
static void
deal_transfer(const struct dtx_draft *draft, int shard,
              const struct dtx_walk *walk, struct progress *near,
              struct progress *far)
{
    const struct dtx_class *c = draft->c;
    const struct dtx_side *dst = c->dst;
    int first = dst->process_first[walk->other];
    int count = dst->process_first[walk->other + 1] - first;
    int64_t unit = (int64_t)c->wire_bytes * c->instance_count;
    int i, k;

    for (i = 0; i < count; i++) {
        struct dtx_senders_group g;
        bool is_near;

        if (dtx_side_has(c->src, dst->processes[first + i], shard)) {
            continue;
        }
        g = dtx_senders_for(c, shard, dst->processes[first + i], &is_near);
        for (k = 0; k < c->share_count; k++) {
            int64_t share = dtx_deal_elements(walk, shard, i, k);

            if (share == 0) {
                continue;
            }
            deal_share(is_near ? &draft->near : &draft->far,
                       is_near ? draft->senders->near_ends
                               : draft->senders->far_ends,
                       &g, &(is_near ? near : far)[g.first], share * unit,
                       dtx_senders_place(c, walk->other, i, k));
        }
    }
}

static void
start(const struct dtx_deal *deal, int64_t *ends, int count,
      struct progress *progress)
{
    int i;

    for (i = 0; i < count; i++) {
        ends[i] = INT64_MAX;
        progress[i] = (struct progress){i, deal->amounts[i], 0};
    }
}

int
dtx_deal_pieces(const struct dtx_draft *draft)
{
    const struct dtx_side *src = draft->c->src;
    size_t count = (size_t)src->use_count;
    struct progress *near = dtx_alloc(count, sizeof *near);
    struct progress *far = dtx_alloc(count, sizeof *far);
    bool failed = near == NULL || far == NULL;
    struct dtx_walk walk;
    int shard;

    if (!failed) {
        start(&draft->near, draft->senders->near_ends, src->use_count, near);
        start(&draft->far, draft->senders->far_ends, src->use_count, far);
    }
    for (shard = 0; shard < src->shard_count && !failed; shard++) {
        if (dtx_senders_are_several(src, shard)) {
            dtx_walk_begin(&walk, draft->c, true, shard);
            while (dtx_walk_next(&walk)) {
                deal_transfer(draft, shard, &walk, near, far);
            }
        }
    }
    dtx_free(near);
    dtx_free(far);
    return failed ? -1 : 0;
}
