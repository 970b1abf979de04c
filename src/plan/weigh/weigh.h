/*
 * Weighing: what each strategy would cost, and the choice between them.
 */
#ifndef DTX_PLAN_WEIGH_WEIGH_H
#define DTX_PLAN_WEIGH_WEIGH_H

#include "plan/plan.h"

/*
 * Finds how the plan's tensors go under each strategy and what that costs,
 * and sets the plan's classes, schedule, processes, totals of bytes and costs
 * to those of the strategy that was asked for. Under `auto` each class goes
 * the way that takes it the least time; where one strategy for all is
 * quicker, that one.
 *
 * The plan's tensors are bound, and its classes those of `optimal`.
 *
 * Fails with DTX_ERR_LIMIT where the memory doesn't suffice for the strategy,
 * or for none under `auto`, and where its sums can't be counted (reach.h).
 */
enum dtx_status dtx_plan_weigh(struct dtx_plan *plan, struct dtx_error *err);

#endif
