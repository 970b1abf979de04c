/*
 * Parts: how the transfers of a class are cut to fit a step.
 */
#ifndef DTX_PLAN_STEP_PARTS_H
#define DTX_PLAN_STEP_PARTS_H

#include "plan/class/class.h"
#include "plan/step/schedule.h"

/*
 * Cuts a class until one part of its busiest process fits the limit, or
 * nothing is left to cut. scratch is reset. Returns -1 when out of memory.
 *
 * parts  its counts [ndim] are the caller's
 */
int dtx_parts_choose(const struct dtx_class *c, uint64_t limit,
                     struct dtx_arena *scratch, struct dtx_parts *parts);

#endif
