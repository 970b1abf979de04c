#include "plan/weigh/crossings.h"

#include "plan/send/relay.h"
#include "plan/send/sender_groups.h"

static const int64_t looks_most = 1 << 21;

/* A class while its crossings are found. */
struct crossing {
    const struct dtx_plan *plan;
    const struct dtx_class *c; /* the round */
    uint64_t instances;
    struct dtx_work *works;
    double share_bytes; /* of relays: per element of split_dim */
};

struct dtx_crossings
dtx_crossings_begin(const struct dtx_plan *plan, int node_count)
{
    double count = plan->options.process_count;

    return (struct dtx_crossings){
        .looks_left = looks_most,
        .far_share = plan->nodes == NULL
                         ? 0
                         : (count - count / node_count) / (count - 1)};
}

/* ---------------------------------------------------------------- relays */

static void
add_flow(void *context, const struct dtx_relay_flow *flow)
{
    const struct crossing *x = context;
    const int *nodes = x->plan->nodes;
    double bytes = x->share_bytes * (double)flow->length;

    if (flow->receiver >= 0 && nodes[flow->receiver] != nodes[flow->giver]) {
        x->works[flow->giver].far_sent += bytes;
        x->works[flow->receiver].far_received += bytes;
    }
}

/* Within groups, which are of one node each, nothing crosses. */
static void
add_relays(struct crossing *x)
{
    const struct dtx_class *c = x->c;
    struct dtx_walk walk;
    int shard;

    for (shard = 0; shard < c->src->shard_count; shard++) {
        dtx_walk_begin(&walk, c, true, shard);
        while (dtx_walk_next(&walk)) {
            int64_t length = c->ndim > 0 ? walk.pairs[c->split_dim]->length : 1;

            x->share_bytes = (double)(dtx_walk_elements(&walk) / length) *
                             (double)c->wire_bytes * (double)x->instances;
            dtx_relay_each(&walk, shard, add_flow, x);
        }
    }
}

/* ---------------------------------------------------------------- transfers */

/* True where one of a shard's holders is on a receiver's node. */
static bool
is_near(const struct crossing *x, int shard, int receiver)
{
    const struct dtx_side *src = x->c->src;
    bool near = false;

    if (x->c->senders != NULL && dtx_senders_are_several(src, shard)) {
        (void)dtx_senders_for(x->c, shard, receiver, &near);
        return near;
    }
    return x->plan->nodes[src->processes[src->process_first[shard]]] ==
           x->plan->nodes[receiver];
}

/* Adds what a receiver gets from far of a transfer, alike from all holders. */
static void
add_receiver(const struct crossing *x, int shard, int receiver, double bytes)
{
    const struct dtx_side *src = x->c->src;
    int first = src->process_first[shard], end = src->process_first[shard + 1];
    int i;

    if (is_near(x, shard, receiver) || dtx_side_has(src, receiver, shard)) {
        return;
    }
    x->works[receiver].far_received += bytes;
    for (i = first; i < end; i++) {
        x->works[src->processes[i]].far_sent += bytes / (end - first);
    }
}

static void
add_transfers(const struct crossing *x)
{
    const struct dtx_class *c = x->c;
    struct dtx_walk walk;
    int shard, i;

    for (shard = 0; shard < c->src->shard_count; shard++) {
        dtx_walk_begin(&walk, c, true, shard);
        while (dtx_walk_next(&walk)) {
            double bytes = (double)dtx_walk_elements(&walk) *
                           (double)c->wire_bytes * (double)x->instances;

            for (i = c->dst->process_first[walk.other];
                 i < c->dst->process_first[walk.other + 1]; i++) {
                add_receiver(x, shard, c->dst->processes[i], bytes);
            }
        }
    }
}

/* What looking at all of a class takes, in looks; a walk in few dims of much
 * more than are left isn't counted to its end. */
static int64_t
count_looks(const struct dtx_class *c, int64_t most)
{
    int64_t looks = 0;
    int shard;

    for (; c != NULL && looks <= most; c = c->next) {
        for (shard = 0; shard < c->dst->shard_count && looks <= most; shard++) {
            struct dtx_walk walk;

            dtx_walk_begin(&walk, c, false, shard);
            looks += dtx_walk_count(&walk) *
                     (c->dst->process_first[shard + 1] -
                      c->dst->process_first[shard]) *
                     (c->src->use_count / c->src->shard_count + 1);
        }
    }
    return looks;
}

/* ---------------------------------------------------------------- all */

static void
guess(const struct dtx_crossings *crossings, const int *processes, int count,
      struct dtx_work *works)
{
    int i;

    for (i = 0; i < count; i++) {
        struct dtx_work *w = &works[processes[i]];

        w->far_sent = crossings->far_share * (double)w->bytes.sent;
        w->far_received = crossings->far_share * (double)w->bytes.received;
    }
}

void
dtx_crossings_set(struct dtx_crossings *crossings, const struct dtx_plan *plan,
                  const struct dtx_class *c, const int *processes, int count,
                  struct dtx_work *works)
{
    struct crossing x = {.plan = plan,
                         .c = c,
                         .instances = (uint64_t)c->instance_count,
                         .works = works};
    int64_t looks;

    if (plan->nodes == NULL || c->strategy == DTX_STRATEGY_DIRECT) {
        return;
    }
    if (c->relays != NULL && c->relays->nodes != NULL) {
        add_relays(&x);
        return;
    }
    looks =
        c->relays == NULL ? count_looks(c, crossings->looks_left) : INT64_MAX;
    if (looks > crossings->looks_left) {
        guess(crossings, processes, count, works);
        return;
    }
    crossings->looks_left -= looks;
    for (; x.c != NULL; x.c = x.c->next) {
        add_transfers(&x);
    }
}
