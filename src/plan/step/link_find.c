#include "plan/step/link_find.h"

#include "plan/step/link_relay.h"

/* Elements of the walk's pair in the dim that is shared out. */
static int64_t
split_length(const struct dtx_walk *walk)
{
    return walk->c->ndim > 0 ? walk->pairs[walk->c->split_dim]->length : 1;
}

/* Adds what a process keeps: the whole transfer, cut as its shares are, so
 * that nothing is read twice where other processes get some of them. */
static int
keep(const struct dtx_walk *walk, struct dtx_link link, struct dtx_links *links)
{
    int count = dtx_class_share_count(walk->c, link.src_shard);
    int64_t length = split_length(walk);
    int i;

    for (i = 0; i < count; i++) {
        link.lo = dtx_cut(length, count, i);
        link.hi = dtx_cut(length, count, i + 1);
        if (dtx_links_add(links, link) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---------------------------------------------------------------- outgoing */

/* What the process sends of one transfer to one receiver. */
static int
send_shares(const struct dtx_walk *walk, struct dtx_link link, int process,
            int receiver, struct dtx_links *links)
{
    int count = dtx_class_share_count(walk->c, link.src_shard);
    int i;

    for (i = 0; i < count; i++) {
        struct dtx_share share =
            dtx_class_share(walk->c, link.src_shard, link.dst_shard, receiver,
                            i, split_length(walk));

        link.lo = share.lo;
        link.hi = share.hi;
        if (share.process == process && dtx_links_add(links, link) != 0) {
            return -1;
        }
    }
    return 0;
}

/* What the process sends of one transfer, to all who need it. */
static int
send_transfer(const struct dtx_walk *walk, const struct dtx_use *use,
              struct dtx_links *links)
{
    const struct dtx_side *src = walk->c->src;
    const struct dtx_side *dst = walk->c->dst;
    int first = dst->process_first[walk->other];
    int count = dst->process_first[walk->other + 1] - first;
    struct dtx_link link = {use->shard, walk->other, 0, use->position,
                            -1,         0,           0, 0};
    int i, failed = 0;

    for (i = 0; i < count && !failed; i++) {
        link.peer = dst->processes[first + i];
        if (link.peer == use->process) {
            failed = keep(walk, link, links);
        } else if (!dtx_side_has(src, link.peer, use->shard)) {
            failed = send_shares(walk, link, use->process, i, links);
        }
    }
    return failed;
}

static int
outgoing_optimal(const struct dtx_class *c, int process,
                 struct dtx_links *links)
{
    int first, i, count = dtx_side_uses(c->src, process, &first);
    struct dtx_walk walk;

    for (i = 0; i < count; i++) {
        dtx_walk_begin(&walk, c, true, c->src->uses[first + i].shard);
        while (dtx_walk_next(&walk)) {
            if (send_transfer(&walk, &c->src->uses[first + i], links) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* ---------------------------------------------------------------- incoming */

/* What the process gets of one transfer of a term. */
static int
get_transfer(const struct dtx_walk *walk, const struct dtx_use *use,
             int src_shard, struct dtx_links *links)
{
    const struct dtx_side *dst = walk->c->dst;
    struct dtx_link link = {
        src_shard, use->shard, use->process, -1, use->position, 0, 0, 0};
    int receiver, i, count;

    if (dtx_side_has(walk->c->src, use->process, src_shard)) {
        return keep(walk, link, links);
    }
    receiver = dtx_side_process_index(dst, use->shard, use->process);
    count = dtx_class_share_count(walk->c, src_shard);
    for (i = 0; i < count; i++) {
        struct dtx_share share = dtx_class_share(
            walk->c, src_shard, use->shard, receiver, i, split_length(walk));

        link.peer = share.process;
        link.lo = share.lo;
        link.hi = share.hi;
        if (dtx_links_add(links, link) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Under `direct` a process reads all it needs by itself. */
static int
read_transfer(const struct dtx_walk *walk, const struct dtx_use *use,
              int src_shard, struct dtx_links *links)
{
    struct dtx_link link = {
        src_shard,
        use->shard,
        use->process,
        dtx_class_direct_position(walk->c, src_shard, use->shard),
        use->position,
        0,
        split_length(walk),
        0};

    return dtx_links_add(links, link);
}

static int
incoming_one_round(const struct dtx_class *c, int process,
                   struct dtx_links *links)
{
    int first, i, term, count = dtx_side_uses(c->dst, process, &first);
    bool direct = c->strategy == DTX_STRATEGY_DIRECT;
    struct dtx_walk walk;

    for (i = 0; i < count; i++) {
        const struct dtx_use *use = &c->dst->uses[first + i];

        dtx_walk_begin(&walk, c, false, use->shard);
        while (dtx_walk_next(&walk)) {
            for (term = 0; term < dtx_class_terms(c); term++) {
                int shard = walk.other + term * c->src->product_count;

                if ((direct ? read_transfer : get_transfer)(&walk, use, shard,
                                                            links) != 0) {
                    return -1;
                }
            }
        }
    }
    return 0;
}

int
dtx_links_incoming(const struct dtx_class *c, int process,
                   struct dtx_links *links)
{
    size_t before = links->count;
    int failed = (c->relays != NULL ? dtx_relay_incoming
                                    : incoming_one_round)(c, process, links);

    if (!failed) {
        dtx_links_sort(links, before);
    }
    return failed;
}

int
dtx_links_outgoing(const struct dtx_class *c, int process,
                   struct dtx_links *links)
{
    size_t before = links->count;
    int failed = c->relays != NULL ? dtx_relay_outgoing(c, process, links)
                 : c->strategy == DTX_STRATEGY_DIRECT
                     ? dtx_links_incoming(c, process, links)
                     : outgoing_optimal(c, process, links);

    if (!failed) {
        dtx_links_sort(links, before);
    }
    return failed;
}
