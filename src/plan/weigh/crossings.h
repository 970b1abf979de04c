/*
 * Crossings: what of a plan's messages goes from one node to another.
 *
 * Transfers are looked at one by one, so only a bounded number of them, classes
 * with relays aside, whose flows are few: of the others any of the processes is
 * taken to be a peer.
 */
#ifndef DTX_PLAN_WEIGH_CROSSINGS_H
#define DTX_PLAN_WEIGH_CROSSINGS_H

#include "plan/weigh/cost.h"

struct dtx_crossings {
    int64_t looks_left; /* transfers to a process that may be looked at */
    double far_share;   /* of any process's peers, on other nodes */
};

struct dtx_crossings dtx_crossings_begin(const struct dtx_plan *plan,
                                         int node_count);

/*
 * Sets what crosses of a class, all its tensors and rounds.
 *
 * processes  [count] that the class concerns
 * works      [process_count of the plan] with bytes set; far bytes are added
 */
void dtx_crossings_set(struct dtx_crossings *crossings,
                       const struct dtx_plan *plan, const struct dtx_class *c,
                       const int *processes, int count, struct dtx_work *works);

#endif
