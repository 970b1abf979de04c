#include "device/box_batch.h"

/* From a job's first byte to its last, at one end. */
static struct dtx_addresses
addresses_of(const struct dtx_box_job *job, const void *first,
             const int64_t *strides)
{
    uintptr_t begin = (uintptr_t)first, end = begin + job->unit_bytes;
    int d;

    for (d = 0; d < job->loop_count; d++) {
        end += (uintptr_t)strides[d] * (job->counts[d].divisor - 1);
    }
    return (struct dtx_addresses){begin, end};
}

static bool
meet(struct dtx_addresses a, struct dtx_addresses b)
{
    return a.begin < b.end && b.begin < a.end;
}

/* Whether a range of them meets any of some, which all lie within `all`. */
static bool
meets_any(struct dtx_addresses range, const struct dtx_addresses *ranges,
          int count, struct dtx_addresses all)
{
    int i;

    if (!meet(range, all)) {
        return false;
    }
    for (i = 0; i < count; i++) {
        if (meet(range, ranges[i])) {
            return true;
        }
    }
    return false;
}

static void
widen(struct dtx_addresses *all, struct dtx_addresses range)
{
    if (all->begin == all->end) {
        *all = range;
        return;
    }
    all->begin = range.begin < all->begin ? range.begin : all->begin;
    all->end = range.end > all->end ? range.end : all->end;
}

void
dtx_box_batch_clear(struct dtx_box_batch *batch)
{
    batch->count = 0;
    batch->tiles = 0;
    batch->all_reads = batch->all_writes = (struct dtx_addresses){0, 0};
}

/*
 * Writes of two copies aren't compared: nobody has two copies write the same
 * element without something in between, and boxes of one array, whose ranges
 * meet, are what batches are for.
 */
bool
dtx_box_batch_takes(const struct dtx_box_batch *batch,
                    const struct dtx_box_job *job)
{
    struct dtx_addresses read = addresses_of(job, job->src, job->src_strides);
    struct dtx_addresses write = addresses_of(job, job->dst, job->dst_strides);

    return batch->count < DTX_BATCH_JOBS &&
           !meets_any(read, batch->writes, batch->count, batch->all_writes) &&
           !meets_any(write, batch->reads, batch->count, batch->all_reads);
}

void
dtx_box_batch_add(struct dtx_box_batch *batch, const struct dtx_box_job *job)
{
    int i = batch->count++;

    batch->jobs[i] = *job;
    batch->jobs[i].first_tile = batch->tiles;
    batch->tiles += dtx_box_tiles(job);
    batch->reads[i] = addresses_of(job, job->src, job->src_strides);
    batch->writes[i] = addresses_of(job, job->dst, job->dst_strides);
    widen(&batch->all_reads, batch->reads[i]);
    widen(&batch->all_writes, batch->writes[i]);
}
