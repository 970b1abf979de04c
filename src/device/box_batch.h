/*
 * Copies of boxes that go to a device at once.
 *
 * A batch's boxes are copied in any order, tile by tile. So what one of them
 * reads no other one writes, and none writes what another one does:
 * such a copy begins the next batch.
 */
#ifndef DTX_DEVICE_BOX_BATCH_H
#define DTX_DEVICE_BOX_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "device/box_jobs.h"

/* Addresses; nothing where begin is end. */
struct dtx_addresses {
    uintptr_t begin, end;
};

/* `= {0}` is empty. */
struct dtx_box_batch {
    int count;
    uint32_t tiles;
    struct dtx_box_job jobs[DTX_BATCH_JOBS];
    struct dtx_addresses reads[DTX_BATCH_JOBS], writes[DTX_BATCH_JOBS];
    struct dtx_addresses all_reads, all_writes; /* and all between them */
};

void dtx_box_batch_clear(struct dtx_box_batch *batch);

/* Whether a job can go with the others. */
bool dtx_box_batch_takes(const struct dtx_box_batch *batch,
                         const struct dtx_box_job *job);
void dtx_box_batch_add(struct dtx_box_batch *batch,
                       const struct dtx_box_job *job);

#endif
