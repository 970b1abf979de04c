/*
 * Bounds: what no schedule could beat under a plan's map.
 */
#ifndef DTX_PLAN_WEIGH_BOUND_H
#define DTX_PLAN_WEIGH_BOUND_H

#include "plan/plan.h"

/*
 * Sets plan->certificate from the plan's classes and processes.
 *
 * Each element is read at least once, and each dataset of the target written.
 * Of tensors that are sent at all, a process receives what it needs and hasn't
 * got; it sends what nobody else holds, once, since others can pass it on; and
 * all that moves is sent by someone who holds or gets something. Tensors that
 * each process reads by itself move nothing.
 *
 * Returns -1 when out of memory.
 */
int dtx_plan_certify(struct dtx_plan *plan);

#endif
