#include "plan/send/relay.h"

#include "plan/send/senders.h"

static int
node_of(const struct dtx_relays *relays, int process)
{
    return relays->nodes != NULL ? relays->nodes[process] : 0;
}

static int
process_of(const struct dtx_class *c, int dst_shard, int receiver)
{
    return c->dst->processes[c->dst->process_first[dst_shard] + receiver];
}

static bool
has_one_holder(const struct dtx_class *c, int src_shard)
{
    return c->src->process_first[src_shard + 1] -
               c->src->process_first[src_shard] ==
           1;
}

bool
dtx_relay_holds(const struct dtx_class *c, int process, int src_shard)
{
    return has_one_holder(c, src_shard)
               ? c->src->processes[c->src->process_first[src_shard]] == process
               : dtx_side_has(c->src, process, src_shard);
}

/* A number that goes up by one from share to share, and goes on so from one
 * source piece to the next along any dim. */
static int64_t
turn_of(const struct dtx_class *c, int src_shard, int dst_shard, int share)
{
    int pieces[DTX_NDIM_MAX];
    int64_t sum = 0;
    int dim;

    dtx_side_pieces(c->src, src_shard, pieces);
    for (dim = 0; dim < c->ndim; dim++) {
        sum += pieces[dim];
    }
    return sum * c->share_count + share + dst_shard + c->index;
}

static int
relay_at(const struct dtx_relays *relays, int group, int64_t turn)
{
    const struct dtx_relay_group *g = &relays->groups[group];

    return relays->turns[g->turn_first + turn % g->turn_count];
}

int
dtx_relay_of(const struct dtx_class *c, int src_shard, int dst_shard, int group,
             int share)
{
    return relay_at(c->relays, group, turn_of(c, src_shard, dst_shard, share));
}

/* ---------------------------------------------------------------- ways */

/* The group of a target shard's on the node of a source shard's one holder, or
 * -1. */
static int
group_beside(const struct dtx_class *c, int src_shard, int dst_shard)
{
    const struct dtx_relays *relays = c->relays;
    int holder = c->src->processes[c->src->process_first[src_shard]];
    int node = node_of(relays, holder);
    int lo = relays->group_first[dst_shard];
    int end = relays->group_first[dst_shard + 1], hi = end;

    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;

        if (relays->groups[middle].node < node) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < end && relays->groups[lo].node == node ? lo : -1;
}

/* The group whose relay gets a share from the holder, for all groups that are
 * not on the holder's node. */
static int
first_group(const struct dtx_class *c, int dst_shard, int beside, int64_t turn)
{
    int first = c->relays->group_first[dst_shard];
    int count = c->relays->group_first[dst_shard + 1] - first;
    int group;

    if (beside < 0) {
        return first + (int)(turn % count);
    }
    group = first + (int)(turn % (count - 1));
    return group < beside ? group : group + 1;
}

struct dtx_relay_way
dtx_relay_find(const struct dtx_class *c, int src_shard, int dst_shard,
               int receiver, int share)
{
    const struct dtx_relays *relays = c->relays;
    int64_t turn = turn_of(c, src_shard, dst_shard, share);
    int group = relays->group_of[c->dst->process_first[dst_shard] + receiver];
    int relay = relay_at(relays, group, turn);

    if (relay != receiver) {
        return (struct dtx_relay_way){dtx_relay_last_round(c), relay};
    }
    if (relays->go_across) {
        int beside = group_beside(c, src_shard, dst_shard);
        int first =
            group == beside ? group : first_group(c, dst_shard, beside, turn);

        if (first != group) {
            return (struct dtx_relay_way){1, relay_at(relays, first, turn)};
        }
    }
    return (struct dtx_relay_way){0, -1};
}

int
dtx_relay_giver(const struct dtx_class *c, int src_shard, int dst_shard,
                int receiver, int share, const struct dtx_relay_way *way)
{
    return way->relay >= 0
               ? process_of(c, dst_shard, way->relay)
               : dtx_class_share(c, src_shard, dst_shard, receiver, share, 0)
                     .process;
}

int
dtx_relay_origin(const struct dtx_class *c, int src_shard, int dst_shard,
                 int receiver, int share)
{
    int process = process_of(c, dst_shard, receiver);

    while (!dtx_relay_holds(c, process, src_shard)) {
        struct dtx_relay_way way =
            dtx_relay_find(c, src_shard, dst_shard, receiver, share);

        process =
            dtx_relay_giver(c, src_shard, dst_shard, receiver, share, &way);
        receiver = way.relay;
    }
    return dtx_side_find_use(c->src, process, src_shard)->position;
}

/* The first process that needs a target shard and holds a source shard: an
 * index among those of the target shard, or -1. */
static int
first_keeper(const struct dtx_class *c, int src_shard, int dst_shard)
{
    int i;

    for (i = c->src->process_first[src_shard];
         i < c->src->process_first[src_shard + 1]; i++) {
        int process = c->src->processes[i];

        if (dtx_side_has(c->dst, process, dst_shard)) {
            return dtx_side_process_index(c->dst, dst_shard, process);
        }
    }
    return -1;
}

bool
dtx_relay_is_first(const struct dtx_class *c, int src_shard, int dst_shard,
                   int receiver, int share)
{
    int64_t turn = turn_of(c, src_shard, dst_shard, share);
    int group = c->relays->group_first[dst_shard];
    int keeper = first_keeper(c, src_shard, dst_shard);

    if (keeper >= 0) {
        return receiver == keeper;
    }
    if (c->relays->go_across) {
        int beside = group_beside(c, src_shard, dst_shard);

        if (beside < 0 || c->relays->group_first[dst_shard + 1] - group > 1) {
            group = first_group(c, dst_shard, beside, turn);
        }
    }
    return receiver == relay_at(c->relays, group, turn);
}

/* ---------------------------------------------------------------- flows */

/* The members of a group that lack a source shard. */
static int
count_lackers(const struct dtx_class *c, int src_shard, int dst_shard,
              const struct dtx_relay_group *g)
{
    int first = c->src->process_first[src_shard];
    int count = c->src->process_first[src_shard + 1] - first;
    int lackers = g->end - g->first, i;

    if (count == 1 && node_of(c->relays, c->src->processes[first]) != g->node) {
        return lackers;
    }
    for (i = g->first; i < g->end; i++) {
        lackers -= dtx_relay_holds(
            c, process_of(c, dst_shard, c->relays->members[i]), src_shard);
    }
    return lackers;
}

/* Visits what flows of a share to one group. */
static void
visit_share(const struct dtx_class *c, struct dtx_relay_flow flow, int group,
            int lackers, dtx_relay_visit *visit, void *context)
{
    int relay =
        dtx_relay_of(c, flow.src_shard, flow.dst_shard, group, flow.share);
    int process = process_of(c, flow.dst_shard, relay);
    bool lacks = !dtx_relay_holds(c, process, flow.src_shard);

    if (lacks) {
        struct dtx_relay_way way = dtx_relay_find(
            c, flow.src_shard, flow.dst_shard, relay, flow.share);

        flow.round = way.round;
        flow.giver = dtx_relay_giver(c, flow.src_shard, flow.dst_shard, relay,
                                     flow.share, &way);
        flow.receiver = process;
        flow.receiver_count = 1;
        visit(context, &flow);
    }
    flow.receiver_count = lackers - lacks;
    if (flow.receiver_count > 0) {
        flow.round = dtx_relay_last_round(c);
        flow.giver = process;
        flow.receiver = -1;
        visit(context, &flow);
    }
}

void
dtx_relay_each(const struct dtx_walk *walk, int src_shard,
               dtx_relay_visit *visit, void *context)
{
    const struct dtx_class *c = walk->c;
    int64_t length = c->ndim > 0 ? walk->pairs[c->split_dim]->length : 1;
    struct dtx_relay_flow flow = {.src_shard = src_shard,
                                  .dst_shard = walk->other};
    int g;

    for (g = c->relays->group_first[flow.dst_shard];
         g < c->relays->group_first[flow.dst_shard + 1]; g++) {
        int lackers =
            count_lackers(c, src_shard, flow.dst_shard, &c->relays->groups[g]);

        for (flow.share = 0; flow.share < c->share_count && lackers > 0;
             flow.share++) {
            flow.length = dtx_cut(length, c->share_count, flow.share + 1) -
                          dtx_cut(length, c->share_count, flow.share);
            if (flow.length > 0) {
                visit_share(c, flow, g, lackers, visit, context);
            }
        }
    }
}
