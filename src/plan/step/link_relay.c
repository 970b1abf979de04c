#include "plan/step/link_relay.h"

#include "plan/send/relay.h"

/* A transfer of this process's while its links are listed. */
struct listing {
    const struct dtx_walk *walk;
    const struct dtx_class *c;
    int process;
    int receiver; /* its index among the target shard's processes, or -1 */
    int src_shard, dst_shard;
    struct dtx_link link; /* with positions */
    struct dtx_links *links;
};

static int
process_of(const struct listing *l, int receiver)
{
    return l->c->dst
        ->processes[l->c->dst->process_first[l->dst_shard] + receiver];
}

/* Adds a share of the transfer, to or from a peer. */
static int
add_share(struct listing *l, int peer, int share)
{
    const struct dtx_class *c = l->c;
    int64_t length = c->ndim > 0 ? l->walk->pairs[c->split_dim]->length : 1;

    l->link.src_shard = l->src_shard;
    l->link.dst_shard = l->dst_shard;
    l->link.peer = peer;
    l->link.share = share;
    l->link.lo = dtx_cut(length, c->share_count, share);
    l->link.hi = dtx_cut(length, c->share_count, share + 1);
    return dtx_links_add(l->links, l->link);
}

/* How a share comes to this process; round -1: it holds the source shard. */
static struct dtx_relay_way
way_to(const struct listing *l, int share)
{
    if (dtx_relay_holds(l->c, l->process, l->src_shard)) {
        return (struct dtx_relay_way){-1, -1};
    }
    return dtx_relay_find(l->c, l->src_shard, l->dst_shard, l->receiver, share);
}

/* ---------------------------------------------------------------- receiving */

static int
receive_share(struct listing *l, int share)
{
    struct dtx_relay_way way = way_to(l, share);
    int last = dtx_relay_last_round(l->c), round = l->c->round;

    if (way.round == round) {
        return add_share(l,
                         dtx_relay_giver(l->c, l->src_shard, l->dst_shard,
                                         l->receiver, share, &way),
                         share);
    }
    if (round == last || (round == 0 && way.round < 0)) {
        return add_share(l, l->process, share);
    }
    return 0;
}

/* ---------------------------------------------------------------- sending */

/* What a holder sends of a share. */
static int
send_held(struct listing *l, int share)
{
    const struct dtx_relays *relays = l->c->relays;
    int g, failed = 0;

    if (dtx_side_has(l->c->dst, l->process, l->dst_shard)) {
        failed = add_share(l, l->process, share);
    }
    for (g = relays->group_first[l->dst_shard];
         g < relays->group_first[l->dst_shard + 1] && !failed; g++) {
        int relay = dtx_relay_of(l->c, l->src_shard, l->dst_shard, g, share);
        int peer = process_of(l, relay);
        struct dtx_relay_way way;

        if (dtx_relay_holds(l->c, peer, l->src_shard)) {
            continue;
        }
        way = dtx_relay_find(l->c, l->src_shard, l->dst_shard, relay, share);
        if (way.round == 0 &&
            dtx_relay_giver(l->c, l->src_shard, l->dst_shard, relay, share,
                            &way) == l->process) {
            failed = add_share(l, peer, share);
        }
    }
    return failed;
}

/* What a relay sends of a share to the relays of other groups. */
static int
send_across(struct listing *l, int share)
{
    const struct dtx_relays *relays = l->c->relays;
    int g, failed = 0;

    if (way_to(l, share).round != 0) {
        return 0;
    }
    for (g = relays->group_first[l->dst_shard];
         g < relays->group_first[l->dst_shard + 1] && !failed; g++) {
        int relay = dtx_relay_of(l->c, l->src_shard, l->dst_shard, g, share);
        struct dtx_relay_way way =
            dtx_relay_find(l->c, l->src_shard, l->dst_shard, relay, share);

        if (way.round == 1 && way.relay == l->receiver) {
            failed = add_share(l, process_of(l, relay), share);
        }
    }
    return failed;
}

/* What a process passes on of a share to its group, itself among them. */
static int
send_within(struct listing *l, int share)
{
    const struct dtx_relays *relays = l->c->relays;
    int group =
        relays->group_of[l->c->dst->process_first[l->dst_shard] + l->receiver];
    const struct dtx_relay_group *g = &relays->groups[group];
    int i, failed = 0;

    if (way_to(l, share).round < dtx_relay_last_round(l->c)) {
        failed = add_share(l, l->process, share);
    }
    if (dtx_relay_of(l->c, l->src_shard, l->dst_shard, group, share) !=
        l->receiver) {
        return failed;
    }
    for (i = g->first; i < g->end && !failed; i++) {
        int peer = process_of(l, relays->members[i]);

        if (peer != l->process && !dtx_relay_holds(l->c, peer, l->src_shard)) {
            failed = add_share(l, peer, share);
        }
    }
    return failed;
}

/* ---------------------------------------------------------------- walks */

typedef int share_function(struct listing *l, int share);

static int
each_share(struct listing *l, share_function *add)
{
    int share, failed = 0;

    for (share = 0; share < l->c->share_count && !failed; share++) {
        failed = add(l, share);
    }
    return failed;
}

/* The transfers of the target shards that a process has. */
static int
each_needed(const struct dtx_class *c, int process, struct dtx_links *links,
            share_function *add)
{
    int first, i, count = dtx_side_uses(c->dst, process, &first), failed = 0;
    struct dtx_walk walk;

    for (i = 0; i < count && !failed; i++) {
        const struct dtx_use *use = &c->dst->uses[first + i];
        struct listing l = {
            .walk = &walk,
            .c = c,
            .process = process,
            .receiver = dtx_side_process_index(c->dst, use->shard, process),
            .dst_shard = use->shard,
            .link = {.src_position = -1, .dst_position = use->position},
            .links = links};

        dtx_walk_begin(&walk, c, false, use->shard);
        while (!failed && dtx_walk_next(&walk)) {
            l.src_shard = walk.other;
            failed = each_share(&l, add);
        }
    }
    return failed;
}

/* Those of the source shards that it has. */
static int
each_held(const struct dtx_class *c, int process, struct dtx_links *links)
{
    int first, i, count = dtx_side_uses(c->src, process, &first), failed = 0;
    struct dtx_walk walk;

    for (i = 0; i < count && !failed; i++) {
        const struct dtx_use *use = &c->src->uses[first + i];
        struct listing l = {
            .walk = &walk,
            .c = c,
            .process = process,
            .receiver = -1,
            .src_shard = use->shard,
            .link = {.src_position = use->position, .dst_position = -1},
            .links = links};

        dtx_walk_begin(&walk, c, true, use->shard);
        while (!failed && dtx_walk_next(&walk)) {
            l.dst_shard = walk.other;
            failed = each_share(&l, send_held);
        }
    }
    return failed;
}

int
dtx_relay_outgoing(const struct dtx_class *c, int process,
                   struct dtx_links *links)
{
    if (c->round == 0) {
        return each_held(c, process, links);
    }
    return each_needed(c, process, links,
                       c->round == dtx_relay_last_round(c) ? send_within
                                                           : send_across);
}

int
dtx_relay_incoming(const struct dtx_class *c, int process,
                   struct dtx_links *links)
{
    return each_needed(c, process, links, receive_share);
}
