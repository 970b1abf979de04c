/*
 * Parts: what one process brings to a channel of one tensor, and what it gets.
 */
#ifndef TESTS_CHANNEL_PART_H
#define TESTS_CHANNEL_PART_H

#include <dtx/build.h>
#include <dtx/channel.h>

#include "support/claim.h"

enum { FLOATS_MOST = 64 };

/* One process's part in a promise: one array at either end, or none. */
struct part {
    const char *source_placement; /* on axis "a" of the source; NULL: none */
    int source_size;              /* of axis "a"; 0: sends nothing */
    const char *target_placement;
    int target_size;
    enum dtx_dtype target_dtype; /* DTX_RAW: float32 */
    int64_t shape;               /* of the tensor "t" */
    int64_t array_shape; /* of the target's array; -1: what it must be */
    const int *source_map, *target_map;
    bool has_no_array;
    bool has_store; /* that can't be read */
    enum dtx_place place;
    enum dtx_strategy strategy;
    float given[FLOATS_MOST], got[FLOATS_MOST];
    double got_double[FLOATS_MOST];
    /* set: */
    enum dtx_status status;
    struct dtx_error err;
    struct dtx_plan_totals totals;
    struct dtx_process_cost cost; /* of this process */
};

/* The layout of one tensor "t" on a mesh of one axis "a". */
struct dtx_layout *layout_of(const char *placement, int size,
                             enum dtx_dtype dtype);

/* Has as many simulated processes meet and run a channel once. */
void run_parts(int count, struct part *parts);

#endif
