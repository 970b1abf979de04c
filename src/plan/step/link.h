/*
 * Links: the transfers that one process takes part in, for one tensor.
 *
 * A link joins a source shard and a target shard between this process and a
 * peer (itself for what it keeps). Outgoing links say what it sends to whom,
 * incoming ones what it gets from whom; both come in the order of source
 * shard, target shard, peer, so that the two ends of a message agree on it.
 */
#ifndef DTX_PLAN_STEP_LINK_H
#define DTX_PLAN_STEP_LINK_H

#include <stddef.h>
#include <stdint.h>

struct dtx_link {
    int src_shard;
    int dst_shard;
    int peer;
    int src_position; /* outgoing: the position to read from */
    int dst_position; /* incoming: the lowest position that needs it */
    int64_t lo, hi;   /* elements of the pair along split_dim */
    int share;        /* of a class with relays: which one that is */
};

struct dtx_links {
    struct dtx_link *array;
    size_t count, capacity;
};

/* Appends a link, if it isn't empty. Returns -1 when out of memory. */
int dtx_links_add(struct dtx_links *links, struct dtx_link link);

/* Puts those from one on in order. */
void dtx_links_sort(struct dtx_links *links, size_t first);

void dtx_links_finish(struct dtx_links *links);

#endif
