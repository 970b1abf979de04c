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
 * instead, the same for all rounds. A run of units then takes as many steps,
 * one after another, as the one with most rounds among them, and is alone in
 * them.
 *
 * Runs with relays are small and overlap: a step does the first round of one
 * run, the second round of the run of the step before the last, and so on, so
 * that processes pass on while more is coming. What the first of two steps
 * keeps is there when the third begins, and nothing waits in between. Where
 * the memory is too little for that they go one after another too.
 *
 * Memory of a process: two steps (one travels while the next is read), a
 * staging buffer each for reading and for writing, and what is kept between
 * rounds, which is never more than a step. Runs with relays each keep theirs
 * in a section of their own, which is free again when all rounds are done.
 */
#ifndef DTX_PLAN_STEP_SCHEDULE_H
#define DTX_PLAN_STEP_SCHEDULE_H

#include <stdbool.h>
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

/* A round of a run of units. */
struct dtx_step_place {
    int64_t run;
    int round;
    uint64_t store_offset; /* bytes in the store, where the run keeps things */
};

/* What a step does. A run can be begun anew only with its first round. */
struct dtx_step_outline {
    int64_t place_first; /* into places; those of the next step end it */
    int64_t run_first;   /* all runs before it are done before the step */
    bool follows;        /* it takes what the step before it keeps */
};

struct dtx_schedule {
    uint64_t step_bytes;     /* most bytes of a process in one step */
    uint64_t stage_bytes;    /* of each staging buffer */
    uint64_t slab_bytes;     /* most bytes that are kept of slabs, or 0 */
    uint64_t section_bytes;  /* that a run with relays keeps, or 0 */
    int64_t section_count;   /* of the store, for so many such runs */
    struct dtx_parts *parts; /* [class_count] */
    int64_t run_count;
    struct dtx_step_start *starts; /* [run_count + 1], the last the end */
    int64_t step_count;
    /* [step_count + 1], the last the end; and what they name. Both are NULL
     * where every step is one run with one round, as most are. */
    struct dtx_step_outline *outlines;
    struct dtx_step_place *places;
};

static inline struct dtx_step_outline
dtx_schedule_outline(const struct dtx_schedule *schedule, int64_t step)
{
    return schedule->outlines != NULL
               ? schedule->outlines[step]
               : (struct dtx_step_outline){step, step, false};
}

static inline struct dtx_step_place
dtx_schedule_place(const struct dtx_schedule *schedule, int64_t i)
{
    return schedule->places != NULL ? schedule->places[i]
                                    : (struct dtx_step_place){i, 0, 0};
}

/* The bytes that a process keeps between rounds at most, where all its
 * messages, to itself too, have so many. */
static inline uint64_t
dtx_schedule_store_bytes(const struct dtx_schedule *schedule, uint64_t work)
{
    uint64_t sections =
        schedule->section_bytes * (uint64_t)schedule->section_count;
    uint64_t slabs = work < schedule->slab_bytes ? work : schedule->slab_bytes;

    return sections > slabs ? sections : slabs;
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
