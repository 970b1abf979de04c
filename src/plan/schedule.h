/*
 * Schedules: the work cut into steps that fit the memory.
 *
 * The tensors of a plan are taken in order. A tensor whose busiest process
 * would need more than a step may hold is cut: every transfer into the same
 * number of nearly equal parts per dim, so that all processes take part in
 * each of them. A unit is one such part of a tensor; a step is a run of units.
 * All processes cut alike, from the same arithmetic, without talking.
 *
 * Tensors that go in rounds between different sides are cut into slabs
 * instead, the same for all rounds. A step never mixes rounds: a run of units
 * takes as many steps, one after another, as the one with most rounds among
 * them.
 *
 * Memory of a process: two steps (one travels while the next is read), a
 * staging buffer each for reading and for writing, and what is kept between
 * rounds, which is never more than a step.
 */
#ifndef DTX_PLAN_SCHEDULE_H
#define DTX_PLAN_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

#include "layout/limits.h"
#include "util/arena.h"

struct dtx_class;
struct dtx_plan;

/* How the transfers of a class are cut. */
struct dtx_parts {
    int64_t counts[DTX_NDIM_MAX]; /* per dim */
    int64_t total;                /* product */
    uint64_t load;                /* most bytes of a process in one part */
};

/* Where a run of units starts. */
struct dtx_step_start {
    int tensor;
    int64_t part;
};

struct dtx_step_place {
    int64_t run;
    int round;
};

struct dtx_schedule {
    uint64_t step_bytes;     /* most bytes of a process in one step */
    uint64_t stage_bytes;    /* of each staging buffer */
    uint64_t store_bytes;    /* most bytes kept between rounds; 0: no rounds */
    struct dtx_parts *parts; /* [class_count] */
    int64_t run_count;
    struct dtx_step_start *starts; /* [run_count + 1], the last the end */
    int64_t step_count;
    struct dtx_step_place *places; /* [step_count]; NULL: step i is run i */
};

/* The run of units that a step does a round of. A run can be begun anew only
 * with its first round. */
static inline struct dtx_step_place
dtx_schedule_place(const struct dtx_schedule *schedule, int64_t step)
{
    return schedule->places != NULL ? schedule->places[step]
                                    : (struct dtx_step_place){step, 0};
}

/*
 * Cuts a plan's work into steps within plan->options.memory_bytes.
 *
 * classes  [plan->class_count] how each class goes
 *
 * Fails with DTX_ERR_LIMIT where the memory doesn't suffice; the message names
 * the least that does.
 */
enum dtx_status dtx_schedule_create(struct dtx_plan *plan,
                                    struct dtx_class *const *classes,
                                    struct dtx_schedule **schedule_out,
                                    struct dtx_error *err);

#endif
