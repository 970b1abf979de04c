/*
 * Parts: how the transfers of a class are cut to fit a step.
 */
#ifndef DTX_PLAN_STEP_PARTS_H
#define DTX_PLAN_STEP_PARTS_H

#include "plan/class/class.h"
#include "plan/step/load.h"
#include "plan/step/schedule.h"

/*
 * Cuts a class until one part of its busiest process fits the limit, or
 * nothing is left to cut.
 *
 * scratch    is reset, and receives the loads
 * parts      its counts [ndim] are the caller's
 * loads_out  of one part, as dtx_class_loads() finds them
 *
 * Returns how many loads, or -1 when out of memory.
 */
int dtx_parts_choose(const struct dtx_class *c, uint64_t limit,
                     struct dtx_arena *scratch, struct dtx_parts *parts,
                     struct dtx_load **loads_out);

#endif
