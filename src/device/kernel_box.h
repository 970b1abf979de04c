/*
 * What a thread of a device does when boxes are copied, by its number.
 *
 * The kernel_*.h have one definition of each for all: CUDA's compiler makes
 * kernels of these functions (cuda_kernels.cu), and the C compiler what the
 * double of a device runs (double_device.c), so that the very same arithmetic
 * is tested where there is no device. Read as C17 and as CUDA's C++.
 */
#ifndef DTX_DEVICE_KERNEL_BOX_H
#define DTX_DEVICE_KERNEL_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "util/inline.h"

enum {
    DTX_JOB_LOOPS = 6,       /* around the units of a box, at most */
    DTX_JOB_UNITS = 1 << 30, /* of a job, at most */
    DTX_JOB_VECTOR = 16,     /* bytes of the largest unit */
    DTX_BLOCK_THREADS = 256,
    DTX_TILE_UNITS = 2048, /* that a block moves; a multiple of its threads */
    DTX_BATCH_JOBS = 256,  /* of a launch: its threads look at one each */
};

/* Divides numbers below 2^31 by a constant, without a division. */
struct dtx_divider {
    uint32_t divisor; /* >= 1 */
    uint32_t multiplier;
    uint32_t shift;
};

/*
 * A part of a box, as nested loops around units that a thread moves at once,
 * each at a multiple of its size.
 */
struct dtx_box_job {
    unsigned char *dst;
    const unsigned char *src;
    uint32_t unit_bytes; /* 1, 2, 4, 8 or 16 */
    uint32_t unit_count;
    uint32_t first_tile; /* of a batch's, this job's first */
    int32_t loop_count;
    struct dtx_divider counts[DTX_JOB_LOOPS]; /* innermost first */
    int64_t dst_strides[DTX_JOB_LOOPS];       /* bytes */
    int64_t src_strides[DTX_JOB_LOOPS];
};

DTX_INLINE struct dtx_divider
dtx_divider_make(uint32_t divisor)
{
    struct dtx_divider d = {divisor, 0, 0};

    while (UINT64_C(1) << d.shift < divisor) {
        d.shift++;
    }
    /* 2^31 <= multiplier < 2^32: rounded up, it is right below 2^31. */
    d.multiplier =
        (uint32_t)(((UINT64_C(1) << (31 + d.shift)) + divisor - 1) / divisor);
    return d;
}

DTX_INLINE uint32_t
dtx_divide(uint32_t n, const struct dtx_divider d)
{
    return (uint32_t)((uint64_t)n * d.multiplier >> (31 + d.shift));
}

/* Where a unit of a job comes from and goes to. */
DTX_INLINE void
dtx_box_unit(const struct dtx_box_job *job, uint32_t unit,
             unsigned char **dst_out, const unsigned char **src_out)
{
    int64_t to = 0, from = 0;
    uint32_t rest = unit;
    int d;

    for (d = 0; d < job->loop_count; d++) {
        uint32_t index = rest;

        if (d + 1 < job->loop_count) {
            rest = dtx_divide(rest, job->counts[d]);
            index -= rest * job->counts[d].divisor;
        }
        to += index * job->dst_strides[d];
        from += index * job->src_strides[d];
    }
    *dst_out = job->dst + to;
    *src_out = job->src + from;
}

DTX_INLINE uint32_t
dtx_box_tiles(const struct dtx_box_job *job)
{
    return (job->unit_count + DTX_TILE_UNITS - 1) / DTX_TILE_UNITS;
}

/* Whether a tile of a batch is of its i-th job. */
DTX_INLINE bool
dtx_box_has_tile(const struct dtx_box_job *jobs, int count, int i,
                 uint32_t tile)
{
    return i < count && jobs[i].first_tile <= tile &&
           (i + 1 == count || jobs[i + 1].first_tile > tile);
}

#endif
