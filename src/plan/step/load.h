/*
 * Loads: how much of a step's buffers a process needs for one part of a
 * tensor. Upper bounds, found per piece and not per transfer.
 */
#ifndef DTX_PLAN_STEP_LOAD_H
#define DTX_PLAN_STEP_LOAD_H

#include <stdint.h>

#include "plan/class/class.h"
#include "util/arena.h"

/*
 * Bytes, for one tensor of a class cut into parts, that each process that
 * takes part holds at most in one part.
 */
struct dtx_load {
    int process;
    uint64_t bytes;
};

/* loads_out is in the arena, ascending by process. Returns how many, or -1
 * when out of memory. */
int dtx_class_loads(const struct dtx_class *c, const int64_t *part_counts,
                    struct dtx_arena *arena, struct dtx_load **loads_out);

#endif
