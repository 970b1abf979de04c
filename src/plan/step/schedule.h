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
 *
 * There can be as many steps as bytes. A schedule holds them as stretches of
 * runs and groups of them, of which there are never many more than tensors;
 * what a step does is found from these (rounds.h).
 */
#ifndef DTX_PLAN_STEP_SCHEDULE_H
#define DTX_PLAN_STEP_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

#include "plan/step/stretch.h"

struct dtx_class;
struct dtx_plan;
struct dtx_tensor;

/* How the transfers of a class are cut. */
struct dtx_parts {
    int64_t *counts; /* [ndim] per dim; classes that are cut alike share them */
    int64_t total;   /* product */
    uint64_t load;   /* most bytes of a process in one part */
};

/* Runs that go through their rounds alike, up to the next group's: all
 * together, each beginning a step after the one before it, or one by one. */
struct dtx_run_group {
    int64_t run, step; /* the first of each */
    int round_count;   /* of a run, at most */
    int distance;      /* steps from one round of a run to the next */
    bool overlaps;     /* they go together */
};

struct dtx_schedule {
    uint64_t step_bytes;     /* most bytes of a process in one step */
    uint64_t stage_bytes;    /* of each staging buffer */
    uint64_t slab_bytes;     /* most bytes that are kept of slabs, or 0 */
    uint64_t section_bytes;  /* that a run with relays keeps, or 0 */
    int64_t section_count;   /* of the store, for so many such runs */
    struct dtx_parts *parts; /* [class_count] */
    int64_t run_count;
    int64_t step_count;
    size_t stretch_count;
    struct dtx_stretch *stretches; /* [stretch_count + 1], the last the end */
    size_t group_count;
    struct dtx_run_group *groups; /* [group_count + 1], the last the end */
    /* What it is made of: the plan's tensors, and how each class goes. */
    const struct dtx_tensor *tensors;
    struct dtx_class *const *classes;
};

/* Where a run starts; that of the run behind the last one is the end. */
static inline struct dtx_step_start
dtx_schedule_start(const struct dtx_schedule *schedule, int64_t run)
{
    return dtx_stretches_find(schedule->stretches, schedule->stretch_count + 1,
                              run);
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
