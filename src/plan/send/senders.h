/*
 * Senders: which of the processes that hold a source shard sends what.
 *
 * What others need of a shard that several processes hold is shared out among
 * these so that the busiest sender is as little loaded as possible, over all
 * tensors of a plan together. A process on a node where the shard is held gets
 * it from there, whoever else has it.
 *
 * The transfers of a shard, by target shard and receiver, each cut into
 * shares, are a line; every holder sends a piece of it. So most transfers come
 * whole from one sender, and both ends find it by a binary search.
 */
#ifndef DTX_PLAN_SEND_SENDERS_H
#define DTX_PLAN_SEND_SENDERS_H

#include "plan/plan.h"

struct dtx_senders {
    const int *nodes; /* [process_count]; NULL: all on one */
    /* Of each shard, where its processes are in the source side, by node:
     * [use_count] indices from the shard's first one on. */
    int *order;
    /* [use_count] in that order, where each holder's piece ends: for receivers
     * on its node, and for those on nodes without a holder. */
    int64_t *near_ends, *far_ends;
};

/*
 * Sets shares and senders of all classes and their rounds, which go by one
 * strategy. Returns -1 when out of memory.
 *
 * classes  [plan->class_count]
 */
int dtx_senders_assign(struct dtx_plan *plan, struct dtx_class *const *classes);

/* The index, among the holders of a shard, of the one that sends a share of a
 * transfer. The receiver is none of them. */
int dtx_senders_find(const struct dtx_class *c, int src_shard, int dst_shard,
                     int receiver, int share);

/*
 * The same, quicker where a shard's transfers, receivers and shares are asked
 * for in turn.
 *
 * last       the function's own; it begins as any number
 * count_out  how many shares, from this one on, the sender has of the transfer
 */
int dtx_senders_next(const struct dtx_class *c, int src_shard, int dst_shard,
                     int receiver, int share, int *last, int *count_out);

#endif
