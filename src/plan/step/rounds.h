/*
 * Rounds: which rounds of which runs each step does. See schedule.h.
 */
#ifndef DTX_PLAN_STEP_ROUNDS_H
#define DTX_PLAN_STEP_ROUNDS_H

#include "plan/class/class.h"
#include "plan/plan.h"

/* The sections of the store that runs with so many rounds at most, >= 1, take
 * in turn where they overlap. */
int64_t dtx_rounds_sections(int round_count);

/* The most rounds of classes with relays; 1: there are none. */
int dtx_rounds_of_relays(int class_count, struct dtx_class *const *classes);

/*
 * Lays out the steps of a schedule whose runs are set.
 *
 * classes   [plan->class_count] how each class goes
 * overlaps  runs with relays overlap
 *
 * Returns -1 when out of memory.
 */
int dtx_rounds_place(struct dtx_plan *plan, struct dtx_class *const *classes,
                     bool overlaps, struct dtx_schedule *schedule);

#endif
