/*
 * Groups: the holders of a shard that share receivers.
 */
#ifndef DTX_PLAN_SEND_SENDER_GROUPS_H
#define DTX_PLAN_SEND_SENDER_GROUPS_H

#include "plan/send/senders.h"

/* Holders who share receivers, a range of `order`: those on one node, or all
 * holders of a shard. */
struct dtx_senders_group {
    int first, end;
};

static inline bool
dtx_senders_are_several(const struct dtx_side *src, int shard)
{
    return src->process_first[shard + 1] - src->process_first[shard] > 1;
}

static inline struct dtx_senders_group
dtx_senders_all(const struct dtx_class *c, int shard)
{
    return (struct dtx_senders_group){c->src->process_first[shard],
                                      c->src->process_first[shard + 1]};
}

/* The holders of a shard on the node of the one at a place of `order`. */
struct dtx_senders_group dtx_senders_beside(const struct dtx_class *c,
                                            int shard, int at);

/* The group that sends to a receiver, and whether it is on its node. */
struct dtx_senders_group dtx_senders_for(const struct dtx_class *c, int shard,
                                         int receiver, bool *near_out);

/* Where a share of a transfer stands in the line of its shard. */
int64_t dtx_senders_place(const struct dtx_class *c, int dst_shard,
                          int receiver, int share);

#endif
