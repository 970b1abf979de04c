/*
 * Deals: what is to be sent of shards with several holders, while it is
 * decided who sends it. See senders.h.
 */
#ifndef DTX_PLAN_SEND_DEAL_H
#define DTX_PLAN_SEND_DEAL_H

#include "plan/send/sender_groups.h"

/* For receivers near the holders, or for those far from all. */
struct dtx_deal {
    int64_t *amounts; /* [use_count] bytes that each holder sends */
    int64_t *totals;  /* [use_count] of a group, where its first holder is */
    int64_t *counts;  /* alike: transfers */
    int64_t *sizes;   /* alike: bytes of each transfer; -1 where they differ */
};

/* A class, one round of it, while its senders are found. */
struct dtx_draft {
    struct dtx_class *c;
    struct dtx_senders *senders; /* the class's */
    struct dtx_deal near, far;
};

/* The elements of a share that holders send a receiver of the transfer that a
 * walk stands on; 0 where it has them or gets them from a relay. */
int64_t dtx_deal_elements(const struct dtx_walk *walk, int shard, int receiver,
                          int share);

/* Sets where the pieces of all holders end, so that each sends its amount, as
 * nearly as the class's shares allow. Returns -1 when out of memory. */
int dtx_deal_pieces(const struct dtx_draft *draft);

#endif
