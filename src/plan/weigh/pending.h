/*
 * Pending reductions of tensors that several processes need.
 *
 * Sending every term to every process that needs the value moves each term
 * many times. It costs less to reduce each target shard on one of those
 * processes and to pass the value on: the tensor goes in two rounds.
 */
#ifndef DTX_PLAN_WEIGH_PENDING_H
#define DTX_PLAN_WEIGH_PENDING_H

#include "plan/plan.h"

/* True where a class has terms, and several processes need some shard. */
bool dtx_pending_is_shared(const struct dtx_class *c);

/* Where a target shard is then reduced: the use of a process that needs it,
 * one that has terms if there is one, in turn from shard to shard. */
const struct dtx_use *dtx_pending_reducer(const struct dtx_class *c,
                                          int dst_shard);

/*
 * The two rounds of a class with terms whose target shards have replicas on
 * several processes; the class itself where one round is the least. NULL when
 * out of memory.
 */
struct dtx_class *dtx_pending_route(struct dtx_plan *plan,
                                    struct dtx_class *optimal);

#endif
