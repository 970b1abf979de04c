/*
 * Rounds: which rounds of which runs each step does. See schedule.h.
 *
 * Steps aren't listed: what one does is worked out from the groups of runs,
 * at the cost of a search and a look at the tensors of the runs in it.
 */
#ifndef DTX_PLAN_STEP_ROUNDS_H
#define DTX_PLAN_STEP_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/class/class.h"
#include "plan/step/schedule.h"
#include "util/arena.h"

/* A round of a run of units. */
struct dtx_step_place {
    int64_t run;
    int round;
    uint64_t store_offset; /* bytes in the store, where the run keeps things */
};

/* The runs of a step, later and later rounds of earlier and earlier ones. */
struct dtx_step_walk {
    const struct dtx_schedule *schedule;
    const struct dtx_run_group *group;
    int64_t first, end; /* the runs that go together */
    int64_t at;         /* steps since the first of them began */
    int round;          /* the next */
};

/* The sections of the store that runs with so many rounds at most, >= 1, take
 * in turn where they overlap. */
int64_t dtx_rounds_sections(int round_count);

/* The most rounds of classes with relays; 1: there are none. */
int dtx_rounds_of_relays(int class_count, struct dtx_class *const *classes);

/*
 * Groups the runs of a schedule, which are set, and counts its steps.
 *
 * arena     receives the groups
 * overlaps  runs with relays overlap
 *
 * Returns -1 when out of memory.
 */
int dtx_rounds_place(struct dtx_arena *arena, bool overlaps,
                     struct dtx_schedule *schedule);

/* Begins a walk over what a step of the schedule does. */
void dtx_step_walk_begin(struct dtx_step_walk *walk,
                         const struct dtx_schedule *schedule, int64_t step);

/* Moves on; false at the end. */
bool dtx_step_walk_next(struct dtx_step_walk *walk,
                        struct dtx_step_place *place_out);

/* The first run that isn't done before a step. A run can be begun anew only
 * with its first round. */
int64_t dtx_step_first_run(const struct dtx_schedule *schedule, int64_t step);

/* True where a step takes what the step before it keeps. */
bool dtx_step_follows(const struct dtx_schedule *schedule, int64_t step);

#endif
