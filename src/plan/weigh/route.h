/*
 * Routes: how the tensors of a class go under each strategy.
 *
 * A class as it is bound goes by `optimal`, but for pending reductions that
 * several processes need (pending.h). The others are made from it:
 * under `direct` each process sends to itself alone, under `materialize` the
 * processes of the target get the whole tensor and take their parts of it,
 * and under `redistribute` tensors go in rounds (redistribute.h).
 */
#ifndef DTX_PLAN_WEIGH_ROUTE_H
#define DTX_PLAN_WEIGH_ROUTE_H

#include "plan/plan.h"

/*
 * The class that goes by a strategy, which isn't AUTO. It is in the plan's
 * arena, or the class itself. NULL when out of memory.
 */
struct dtx_class *dtx_route_class(struct dtx_plan *plan,
                                  struct dtx_class *optimal,
                                  enum dtx_strategy strategy);

#endif
