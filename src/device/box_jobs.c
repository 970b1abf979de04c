#include "device/box_jobs.h"

/* A nest whose outermost loops are being cut off. */
struct making {
    const struct dtx_nest *nest;
    dtx_box_job_visit *visit;
    void *context;
};

/* The largest unit of which everything is a multiple: the lowest bit that any
 * of it has, up to a vector's. */
static uint32_t
unit_of(const struct dtx_nest *nest, int loop_count, const char *dst,
        const char *src)
{
    uint64_t bits = DTX_JOB_VECTOR | (uintptr_t)dst | (uintptr_t)src |
                    (uint64_t)nest->run_bytes;
    int d;

    for (d = 0; d < loop_count; d++) {
        bits |= nest->loops[d].dst_stride | nest->loops[d].src_stride;
    }
    return (uint32_t)(bits & (0 - bits));
}

/* Units of a run and its first loops; more than a job has where that is so. */
static uint64_t
count_units(const struct dtx_nest *nest, int loop_count, uint32_t unit)
{
    uint64_t units = nest->run_bytes / unit;
    int d;

    for (d = 0; d < loop_count && units <= DTX_JOB_UNITS; d++) {
        units = nest->loops[d].count > DTX_JOB_UNITS
                    ? (uint64_t)DTX_JOB_UNITS + 1
                    : units * nest->loops[d].count;
    }
    return units;
}

static int
make_job(const struct making *m, int loop_count, char *dst, const char *src,
         uint32_t unit)
{
    const struct dtx_nest *nest = m->nest;
    struct dtx_box_job job = {.dst = (unsigned char *)dst,
                              .src = (const unsigned char *)src,
                              .unit_bytes = unit};
    uint32_t row = (uint32_t)(nest->run_bytes / unit);
    int d, n = 0;

    if (row > 1) {
        job.counts[n] = dtx_divider_make(row);
        job.dst_strides[n] = job.src_strides[n] = unit;
        n++;
    }
    job.unit_count = row;
    for (d = 0; d < loop_count; d++, n++) {
        job.counts[n] = dtx_divider_make((uint32_t)nest->loops[d].count);
        job.dst_strides[n] = (int64_t)nest->loops[d].dst_stride;
        job.src_strides[n] = (int64_t)nest->loops[d].src_stride;
        job.unit_count *= (uint32_t)nest->loops[d].count;
    }
    job.loop_count = n;
    return m->visit(&job, m->context);
}

/* A run that is too long by itself goes in pieces. */
static int
make_long(const struct making *m, char *dst, const char *src, uint32_t unit)
{
    struct dtx_nest part = {.run_bytes = (size_t)DTX_JOB_UNITS * unit};
    struct making pieces = {&part, m->visit, m->context};
    size_t at, all = m->nest->run_bytes;
    int outcome = 0;

    for (at = 0; at < all && outcome == 0; at += part.run_bytes) {
        part.run_bytes = all - at < part.run_bytes ? all - at : part.run_bytes;
        outcome = make_job(&pieces, 0, dst + at, src + at, unit);
    }
    return outcome;
}

/* Makes jobs of the first loops; those beyond are gone through one by one. */
static int
make(const struct making *m, int loop_count, char *dst, const char *src)
{
    uint32_t unit = unit_of(m->nest, loop_count, dst, src);
    const struct dtx_loop *outer;
    int outcome = 0;
    size_t i;

    if (loop_count < DTX_JOB_LOOPS &&
        count_units(m->nest, loop_count, unit) <= DTX_JOB_UNITS) {
        return make_job(m, loop_count, dst, src, unit);
    }
    if (loop_count == 0) {
        return make_long(m, dst, src, unit);
    }
    outer = &m->nest->loops[loop_count - 1];
    for (i = 0; i < outer->count && outcome == 0; i++) {
        outcome = make(m, loop_count - 1, dst + i * outer->dst_stride,
                       src + i * outer->src_stride);
    }
    return outcome;
}

int
dtx_box_jobs_make(const struct dtx_nest *nest, void *dst, const void *src,
                  dtx_box_job_visit *visit, void *context)
{
    struct making m = {nest, visit, context};

    return make(&m, nest->loop_count, (char *)dst + nest->dst_offset,
                (const char *)src + nest->src_offset);
}
