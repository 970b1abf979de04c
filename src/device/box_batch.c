#include "device/box_batch.h"

/* From a job's first byte to its last, at one end. */
static struct dtx_span
span_of(const struct dtx_box_job *job, const void *first,
        const int64_t *strides)
{
    uintptr_t begin = (uintptr_t)first, end = begin + job->unit_bytes;
    int d;

    for (d = 0; d < job->loop_count; d++) {
        end += (uintptr_t)strides[d] * (job->counts[d].divisor - 1);
    }
    return (struct dtx_span){begin, end};
}

static bool
meet(struct dtx_span a, struct dtx_span b)
{
    return a.begin < b.end && b.begin < a.end;
}

/* Whether a span meets any of some, which all lie within `all`. */
static bool
meets_any(struct dtx_span span, const struct dtx_span *spans, int count,
          struct dtx_span all)
{
    int i;

    if (!meet(span, all)) {
        return false;
    }
    for (i = 0; i < count; i++) {
        if (meet(span, spans[i])) {
            return true;
        }
    }
    return false;
}

static void
widen(struct dtx_span *all, struct dtx_span span)
{
    if (all->begin == all->end) {
        *all = span;
        return;
    }
    all->begin = span.begin < all->begin ? span.begin : all->begin;
    all->end = span.end > all->end ? span.end : all->end;
}

void
dtx_box_batch_clear(struct dtx_box_batch *batch)
{
    batch->count = 0;
    batch->tiles = 0;
    batch->all_reads = batch->all_writes = (struct dtx_span){0, 0};
}

/*
 * Writes of two copies aren't compared: nobody has two copies write the same
 * element without something in between, and boxes of one array, whose spans
 * meet, are what batches are for.
 */
bool
dtx_box_batch_takes(const struct dtx_box_batch *batch,
                    const struct dtx_box_job *job)
{
    struct dtx_span read = span_of(job, job->src, job->src_strides);
    struct dtx_span write = span_of(job, job->dst, job->dst_strides);

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
    batch->reads[i] = span_of(job, job->src, job->src_strides);
    batch->writes[i] = span_of(job, job->dst, job->dst_strides);
    widen(&batch->all_reads, batch->reads[i]);
    widen(&batch->all_writes, batch->writes[i]);
}
