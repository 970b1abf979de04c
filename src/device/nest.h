/*
 * A copy of a box as nested loops around a contiguous run.
 */
#ifndef DTX_DEVICE_NEST_H
#define DTX_DEVICE_NEST_H

#include <stdbool.h>
#include <stddef.h>

#include "device/box_copy.h"
#include "layout/limits.h"

/* One loop of the copy: how often, and how far each side moves, in bytes. */
struct dtx_loop {
    size_t count;
    size_t dst_stride;
    size_t src_stride;
};

/* Loops that are contiguous with the run are part of it, and loops that
 * continue one another are one; each has a count of 2 at least. */
struct dtx_nest {
    size_t run_bytes;
    int loop_count;
    struct dtx_loop loops[DTX_NDIM_MAX]; /* innermost first */
    size_t dst_offset;                   /* bytes from the array to the box */
    size_t src_offset;
};

/* False where the box is empty. */
bool dtx_nest_make(const struct dtx_box_copy *copy, struct dtx_nest *nest);

#endif
