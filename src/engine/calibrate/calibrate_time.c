/*
 * Timing work that is repeated, by all processes at once, until it takes long
 * enough.
 */
#include "engine/calibrate/calibrate.h"
#include "engine/clock.h"

/* Of work that turns out to be long, no more is tried at once than so many
 * times what took so and so long: guesses from short times are bad. */
enum { GROWTH_MAX = 16 };

/* The seconds of one run of the work, on the slowest process. Collective. */
static enum dtx_status
run_once(struct calibration *c, const struct calibrate_work *work,
         uint64_t amount, double *seconds_out, struct dtx_error *err)
{
    int64_t slowest = 0;
    uint64_t begin;
    enum dtx_status status;

    if (work->prepare != NULL) {
        work->prepare(c);
    }
    /* So that all begin together. */
    status = dtx_transport_maximum(c->transport, 0, &slowest, err);
    if (status != DTX_OK) {
        return status;
    }
    begin = engine_now_ns();
    status = work->run(c, amount, err);
    slowest = (int64_t)(engine_now_ns() - begin);
    status = dtx_transport_settle(c->transport, status, err);
    if (status == DTX_OK) {
        status = dtx_transport_maximum(c->transport, slowest, &slowest, err);
    }
    *seconds_out = (double)(slowest > 0 ? slowest : 1) / 1e9;
    return status;
}

/* The amount to try after one that was over too soon. */
static uint64_t
grow(const struct calibrate_work *work, uint64_t amount, double seconds)
{
    double factor = 1.25 * work->enough_seconds / seconds;
    double wanted;

    if (factor > GROWTH_MAX) {
        factor = GROWTH_MAX;
    }
    if (factor < 2) {
        factor = 2;
    }
    wanted = (double)amount * factor;
    return wanted < (double)work->last ? (uint64_t)wanted : work->last;
}

enum dtx_status
calibrate_time(struct calibration *c, const struct calibrate_work *work,
               double *seconds_out, uint64_t *amount_out, struct dtx_error *err)
{
    uint64_t amount = work->first;
    double seconds, again;
    enum dtx_status status = run_once(c, work, amount, &seconds, err);

    while (status == DTX_OK && seconds < work->enough_seconds &&
           amount < work->last) {
        amount = grow(work, amount, seconds);
        status = run_once(c, work, amount, &seconds, err);
    }
    if (status == DTX_OK) {
        status = run_once(c, work, amount, &again, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    if (again < seconds) {
        seconds = again;
    }
    *seconds_out = seconds / (double)amount;
    if (amount_out != NULL) {
        *amount_out = amount;
    }
    return DTX_OK;
}
