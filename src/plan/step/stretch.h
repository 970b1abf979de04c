/*
 * Stretches: where runs of units start, by as few numbers as tell it.
 */
#ifndef DTX_PLAN_STEP_STRETCH_H
#define DTX_PLAN_STEP_STRETCH_H

#include <stddef.h>
#include <stdint.h>

/* Where a run of units starts. */
struct dtx_step_start {
    int tensor;
    int64_t part;
};

/* Runs that start in one tensor, each so many parts after the one before it:
 * all up to the next stretch's. */
struct dtx_stretch {
    int64_t run; /* the first */
    struct dtx_step_start start;
    int64_t part_count;
};

/* Growing list of stretches. */
struct dtx_stretches {
    struct dtx_stretch *array;
    size_t count, capacity;
    int64_t run_count; /* of all of them */
};

/* Adds a stretch of so many runs. Returns -1 when out of memory. */
int dtx_stretches_add(struct dtx_stretches *s, struct dtx_step_start start,
                      int64_t part_count, int64_t run_count);

/* Where a run starts, by a search. [count] > 0 */
struct dtx_step_start dtx_stretches_find(const struct dtx_stretch *stretches,
                                         size_t count, int64_t run);

#endif
