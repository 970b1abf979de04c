/*
 * Relays: who passes on what several processes need.
 *
 * Sent by its holder to each of many processes, a box would leave one process
 * many times, and come to a node once for each process there. So the processes
 * of a target shard are put in groups, one a node, and of each share of a
 * transfer one of a group, its relay, gets it and passes it on to those of its
 * group who lack it. The members of a group take turns at that, the more often
 * the less they have to send as holders. Each
 * process then sends about as much as it gets, however many need it, and what
 * comes to a node comes once. A relay needs all that it passes on: nothing is
 * received for others' sake.
 *
 * It takes two rounds: from holders to relays, and within the groups. Where
 * one holder would have to serve many groups there is one in between, across
 * them: of the relays that a share has in groups away from its holder's node,
 * only the first gets it from the holder, and the others from the first.
 *
 * What a process has when the last round begins is kept in memory, share by
 * share, in the order of source shard, target shard and share. It stays where
 * it is until all rounds of a run are done.
 *
 * All rounds are classes with the same sides, overlaps and shares.
 */
#ifndef DTX_PLAN_SEND_RELAY_H
#define DTX_PLAN_SEND_RELAY_H

#include "plan/plan.h"

/* Processes of a target shard on one node. */
struct dtx_relay_group {
    int node;
    int first, end;             /* into members */
    int turn_first, turn_count; /* into turns */
};

struct dtx_relays {
    const int *nodes;               /* [process_count]; NULL: all on one */
    bool go_across;                 /* there are three rounds, not two */
    int peer_count;                 /* that one has in a round, at most */
    int *group_first;               /* [target shards + 1] into groups */
    struct dtx_relay_group *groups; /* of each shard, ascending by node */
    /* [use_count of the target] group by group: indices among their shard's
     * processes. */
    int *members;
    int *group_of; /* [use_count] the group of each of a shard's processes */
    int *turns;    /* group by group: whose turn it is, as in members */
};

/* Where a process gets a share from. */
struct dtx_relay_way {
    int round;
    int relay; /* index among the target shard's processes; -1: a holder */
};

/*
 * Puts relays into those classes where it pays: where a process would
 * otherwise send more than anyone receives, or a box would come to a node more
 * than once.
 *
 * classes  [plan->class_count] those of `optimal` or `materialize`, replaced
 *          where they change
 * costs    [process_count] what they cost as they are
 *
 * Returns how many have changed, or -1 when out of memory.
 */
int dtx_relays_choose(struct dtx_plan *plan, struct dtx_class **classes,
                      const struct dtx_process_cost *costs);

static inline int
dtx_relay_last_round(const struct dtx_class *c)
{
    return c->relays->go_across ? 2 : 1;
}

/* True where a process has a source shard itself. */
bool dtx_relay_holds(const struct dtx_class *c, int process, int src_shard);

/* The relay of a share in a group: an index among the target shard's
 * processes. */
int dtx_relay_of(const struct dtx_class *c, int src_shard, int dst_shard,
                 int group, int share);

/* How a share comes to a target shard's receiver-th process, which doesn't
 * hold it. */
struct dtx_relay_way dtx_relay_find(const struct dtx_class *c, int src_shard,
                                    int dst_shard, int receiver, int share);

/* The process that a way comes from. Of the first round's class. */
int dtx_relay_giver(const struct dtx_class *c, int src_shard, int dst_shard,
                    int receiver, int share, const struct dtx_relay_way *way);

/* The source position from which a share first came that a receiver gets. */
int dtx_relay_origin(const struct dtx_class *c, int src_shard, int dst_shard,
                     int receiver, int share);

/* True for one of the processes that have a share after the first round. */
bool dtx_relay_is_first(const struct dtx_class *c, int src_shard, int dst_shard,
                        int receiver, int share);

/* A share on its way from one process to some. */
struct dtx_relay_flow {
    int src_shard, dst_shard;
    int share;
    int64_t length; /* of the share, along split_dim */
    int round;
    int giver;          /* process */
    int receiver;       /* process, the one receiver; -1 in the last round */
    int receiver_count; /* 1, or those of the group who lack it */
};

typedef void dtx_relay_visit(void *context, const struct dtx_relay_flow *flow);

/* Visits all that flows of the transfer that a walk over the source shard's
 * stands on, but for what processes have themselves. Of the first round's
 * class. */
void dtx_relay_each(const struct dtx_walk *walk, int src_shard,
                    dtx_relay_visit *visit, void *context);

/* Adds what all rounds cost, but for the writing and what is received and kept
 * of the source. Of the first round's class; -1 when out of memory. */
int dtx_relay_add_costs(const struct dtx_class *c, uint64_t count,
                        struct dtx_process_cost *processes);

/* Adds what processes send as relays, or of shards that nobody else holds. */
void dtx_relay_add_sole(const struct dtx_class *c, uint64_t count,
                        struct dtx_process_cost *processes);

#endif
