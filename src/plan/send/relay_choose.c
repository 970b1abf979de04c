/*
 * Which classes get relays.
 */
#include "plan/send/relay.h"
#include "plan/send/relay_groups.h"
#include "util/alloc.h"
#include "util/math.h"

/* Transfers times groups times shares of a class that are worth going through
 * one by one; what has more goes without relays. */
static const int64_t flows_most = 4 << 20;

/* Smaller shares take longer to send each than all of them together. */
static const int64_t share_bytes_least = 4096;

/* A class while it is decided. */
struct choice {
    struct dtx_plan *plan;
    const struct dtx_class *c;
    const struct dtx_process_cost *costs;
    uint64_t most; /* that a process should send */
    bool is_busy;  /* one of its holders sends more, several times */
};

/* ---------------------------------------------------------------- shares */

/* The fewest source pieces that meet a target piece of a dim. */
static int64_t
fewest_pairs(const struct dtx_overlap *o)
{
    int64_t fewest = INT64_MAX;
    int i;

    for (i = 0; i < o->dst_count; i++) {
        fewest = dtx_min(fewest, o->dst_first[i + 1] - o->dst_first[i]);
    }
    return fewest;
}

/* Cuts transfers into shares, so that each of some relays has as much to do.
 * Where many transfers come to a target shard anyway, they go round whole. */
static void
choose_shares(struct dtx_class *c, int64_t relays)
{
    int dim;

    for (dim = 0; dim < c->ndim; dim++) {
        int64_t pairs = fewest_pairs(c->overlaps[dim]);

        if (pairs > 0 && (pairs % relays == 0 || pairs >= 8 * relays)) {
            c->share_count = 1;
            c->split_dim = dim;
            return;
        }
    }
    dtx_class_choose_shares(c, relays, share_bytes_least);
}

static int64_t
count_flows(const struct dtx_class *c, int64_t groups)
{
    int64_t flows = 0;
    struct dtx_walk walk;
    int shard;

    for (shard = 0; shard < c->dst->shard_count; shard++) {
        dtx_walk_begin(&walk, c, false, shard);
        flows += dtx_walk_count(&walk) * groups * c->share_count;
    }
    return flows;
}

/* ---------------------------------------------------------------- rounds */

/* The class with its rounds. */
static struct dtx_class *
make_rounds(struct dtx_plan *plan, const struct dtx_class *c)
{
    int round;
    struct dtx_class *first = NULL, *last = NULL;

    for (round = 0; round <= dtx_relay_last_round(c); round++) {
        struct dtx_class *made =
            dtx_arena_copy(&plan->arena, c, 1, sizeof *made);

        if (made == NULL) {
            return NULL;
        }
        made->round = round;
        if (last != NULL) {
            last->next = made;
        } else {
            first = made;
        }
        last = made;
    }
    return first;
}

/* The turns of a group come round whole; and across groups, whose relays come
 * first in turn, no group is first much more often than another. */
static int64_t
wanted_shares(const struct dtx_relays *relays,
              const struct dtx_relay_sizes *sizes)
{
    return relays->go_across
               ? sizes->turns * dtx_ceil_div(4 * sizes->groups, sizes->turns)
               : sizes->turns;
}

/* Sets *made_out to the class with relays; NULL where it has too many flows.
 * Returns -1 when out of memory. */
static int
add_relays(const struct choice *choice, struct dtx_class **made_out)
{
    struct dtx_plan *plan = choice->plan;
    struct dtx_class c = *choice->c;
    struct dtx_relay_sizes sizes;

    *made_out = NULL;
    c.senders = NULL;
    c.relays = dtx_relay_groups(plan, &c, choice->is_busy, &sizes);
    if (c.relays == NULL) {
        return -1;
    }
    choose_shares(&c, wanted_shares(c.relays, &sizes));
    if (count_flows(&c, sizes.groups) > flows_most) {
        return 0;
    }
    *made_out = make_rounds(plan, &c);
    return *made_out != NULL ? 0 : -1;
}

/* ---------------------------------------------------------------- choosing */

/* True where several processes need what one that sends too much holds. */
static bool
is_busy(const struct choice *choice)
{
    const struct dtx_class *c = choice->c;
    struct dtx_walk walk;
    int i, r;

    for (i = 0; i < c->src->use_count; i++) {
        const struct dtx_use *use = &c->src->uses[i];

        if (choice->costs[use->process].sent <= choice->most) {
            continue;
        }
        dtx_walk_begin(&walk, c, true, use->shard);
        while (dtx_walk_next(&walk)) {
            int lackers = 0;

            for (r = c->dst->process_first[walk.other];
                 r < c->dst->process_first[walk.other + 1] && lackers < 2;
                 r++) {
                lackers +=
                    !dtx_side_has(c->src, c->dst->processes[r], use->shard);
            }
            if (lackers > 1) {
                return true;
            }
        }
    }
    return false;
}

/* True where none of a shard's holders is on a node. */
static bool
is_away(const struct choice *choice, int shard, int node)
{
    const struct dtx_side *src = choice->c->src;
    int i;

    for (i = src->process_first[shard]; i < src->process_first[shard + 1];
         i++) {
        if (choice->plan->nodes[src->processes[i]] == node) {
            return false;
        }
    }
    return true;
}

/* True where some of a target shard comes from elsewhere to a node on which
 * several processes need it. */
static bool
comes_often(const struct choice *choice, int dst_shard, int node)
{
    struct dtx_walk walk;

    dtx_walk_begin(&walk, choice->c, false, dst_shard);
    while (dtx_walk_next(&walk)) {
        if (is_away(choice, walk.other, node)) {
            return true;
        }
    }
    return false;
}

/* True where a box would come to a node more than once. */
static bool
any_comes_often(const struct choice *choice)
{
    const struct dtx_side *dst = choice->c->dst;
    const int *nodes = choice->plan->nodes;
    int *seen; /* [nodes] the last target shard on each, plus 1 */
    int shard, i, last = 0;
    bool found = false;

    if (nodes == NULL) {
        return false;
    }
    for (i = 0; i < choice->plan->options.process_count; i++) {
        last = nodes[i] > last ? nodes[i] : last;
    }
    seen = dtx_alloc((size_t)last + 1, sizeof *seen);
    for (shard = 0; shard < dst->shard_count && seen != NULL; shard++) {
        for (i = dst->process_first[shard];
             i < dst->process_first[shard + 1] && !found; i++) {
            int node = nodes[dst->processes[i]];

            found = seen[node] == shard + 1 && comes_often(choice, shard, node);
            seen[node] = shard + 1;
        }
    }
    dtx_free(seen);
    return found;
}

/* Terms have rounds of their own: what is pending would be passed on before it
 * is reduced. */
static bool
can_have_relays(const struct dtx_class *c)
{
    return !dtx_class_has_rounds(c) && c->src->term_count == 1 &&
           c->dst->term_count == 1 && c->dst->use_count > c->dst->shard_count;
}

static uint64_t
most_received(const struct dtx_plan *plan, const struct dtx_process_cost *costs)
{
    uint64_t most = 0;
    int i;

    for (i = 0; i < plan->options.process_count; i++) {
        most = costs[i].received > most ? costs[i].received : most;
    }
    return most;
}

int
dtx_relays_choose(struct dtx_plan *plan, struct dtx_class **classes,
                  const struct dtx_process_cost *costs)
{
    uint64_t received = most_received(plan, costs);
    int i, changed = 0;

    for (i = 0; i < plan->class_count; i++) {
        struct choice choice = {.plan = plan,
                                .c = classes[i],
                                .costs = costs,
                                .most = received + received / 2};
        struct dtx_class *made = NULL;

        if (!can_have_relays(classes[i])) {
            continue;
        }
        choice.is_busy = is_busy(&choice);
        if ((choice.is_busy || any_comes_often(&choice)) &&
            add_relays(&choice, &made) != 0) {
            return -1;
        }
        if (made != NULL) {
            classes[i] = made;
            changed++;
        }
    }
    return changed;
}
