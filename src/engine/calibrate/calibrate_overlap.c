/*
 * How much of shorter work still shows beside longer: all of a node read one
 * file and write another, first one by one, then both at once.
 */
#include <stdatomic.h>

#include "engine/calibrate/calibrate.h"
#include "engine/step/worker.h"

/* What is measured is never quite nothing, nor more than all. */
static const double least_share = 0.02;

/* The pieces that fill so many bytes. */
static struct dtx_trial_range
pieces_of(uint64_t bytes)
{
    return (struct dtx_trial_range){.piece_count =
                                        (bytes + CALIBRATE_BUFFER_BYTES - 1) /
                                        CALIBRATE_BUFFER_BYTES,
                                    .piece_bytes = CALIBRATE_BUFFER_BYTES,
                                    .stride = CALIBRATE_BUFFER_BYTES};
}

static void
forget(struct calibration *c)
{
    if (calibrate_takes_part(c) && !c->options->is_cached) {
        dtx_trial_forget(&c->trial);
    }
}

/* The file is read so many times. */
static enum dtx_status
read_times(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    const struct dtx_trial_range range = pieces_of(c->file_bytes);
    enum dtx_status status = DTX_OK;

    for (uint64_t i = 0;
         i < amount && status == DTX_OK && calibrate_takes_part(c); i++) {
        if (i > 0) {
            forget(c);
        }
        status = dtx_trial_read(&c->trial, &range, c->buffers[1], err);
    }
    return status;
}

static enum dtx_status
write_other(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    const struct dtx_trial_range range = pieces_of(c->other_bytes);

    (void)amount;
    return calibrate_takes_part(c)
               ? dtx_trial_fill(&c->other, &range, c->buffers[0], err)
               : DTX_OK;
}

/* Reading, on another thread. */
struct reading {
    struct calibration *c;
    uint64_t amount;
    enum dtx_status status;
    struct dtx_error err;
};

static void
read_job(void *argument)
{
    struct reading *r = argument;

    r->status = read_times(r->c, r->amount, &r->err);
}

static enum dtx_status
do_both(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    struct reading reading = {.c = c, .amount = amount};
    struct dtx_worker worker;
    enum dtx_status status = dtx_worker_start(&worker, err);

    if (status == DTX_OK) {
        dtx_worker_submit(&worker, read_job, &reading);
        status = write_other(c, amount, err);
    }
    dtx_worker_stop(&worker);
    if (status == DTX_OK && reading.status != DTX_OK) {
        *err = reading.err;
        status = reading.status;
    }
    return status;
}

/* The seconds of one of these, in which the file is read so many times. */
static enum dtx_status
time_it(struct calibration *c,
        enum dtx_status (*run)(struct calibration *, uint64_t,
                               struct dtx_error *),
        uint64_t amount, double *seconds_out, struct dtx_error *err)
{
    const struct calibrate_work work = {run, forget, amount, amount, 0};
    enum dtx_status status = calibrate_time(c, &work, seconds_out, NULL, err);

    *seconds_out *= (double)amount;
    return status;
}

/* The share that shows, of these seconds. */
static double
share_of(double reading, double writing, double both)
{
    double shorter = reading < writing ? reading : writing;
    double longer = reading < writing ? writing : reading;
    double share = (both - longer) / shorter;

    if (share < least_share) {
        return least_share;
    }
    return share < 1 ? share : 1;
}

enum dtx_status
calibrate_overlap(struct calibration *c, struct dtx_error *err)
{
    double reading, writing, both;
    uint64_t amount;
    enum dtx_status status;

    c->group = CALIBRATE_NODE;
    c->other_bytes = c->file_bytes;
    status = time_it(c, read_times, 1, &reading, err);
    if (status == DTX_OK) {
        status = time_it(c, write_other, 1, &writing, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    /* So often that both take about as long. */
    amount = (uint64_t)(writing / reading + 0.5);
    amount = amount < 1 ? 1 : amount;
    status = time_it(c, read_times, amount, &reading, err);
    if (status == DTX_OK) {
        status = time_it(c, do_both, amount, &both, err);
    }
    if (status == DTX_OK) {
        c->machine.overlap_share = share_of(reading, writing, both);
    }
    return status;
}
