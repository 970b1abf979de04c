/*
 * Groups: the processes of target shards, by node, and their turns as relays.
 */
#ifndef DTX_PLAN_SEND_RELAY_GROUPS_H
#define DTX_PLAN_SEND_RELAY_GROUPS_H

#include "plan/send/relay.h"

struct dtx_relay_sizes {
    int64_t groups; /* of a shard, at most */
    int64_t turns;  /* of a group, at most */
};

/*
 * Groups the processes of a class's target shards, all in one where none has a
 * neighbour on its node. NULL when out of memory.
 *
 * is_busy  a holder has too much to send
 */
struct dtx_relays *dtx_relay_groups(struct dtx_plan *plan,
                                    const struct dtx_class *c, bool is_busy,
                                    struct dtx_relay_sizes *sizes_out);

#endif
