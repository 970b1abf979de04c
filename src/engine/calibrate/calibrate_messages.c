/*
 * Messages, within nodes and between them: large ones in rings, small ones to
 * and fro.
 */
#include "engine/calibrate/calibrate.h"

enum { TAG = 1 };

static enum dtx_status
finish(struct calibration *c, int request, struct dtx_error *err)
{
    struct dtx_transport *t = c->transport;
    bool is_done = false;
    size_t bytes;
    int idle = 0;
    enum dtx_status status = t->ops->test(t, request, &is_done, &bytes, err);

    while (status == DTX_OK && !is_done) {
        t->ops->pause(t, idle++);
        status = t->ops->test(t, request, &is_done, &bytes, err);
    }
    return status;
}

/* Sends to one process while receiving from another; -1: not. */
static enum dtx_status
exchange(struct calibration *c, int to, int from, size_t bytes,
         struct dtx_error *err)
{
    struct dtx_transport *t = c->transport;
    enum dtx_status status = DTX_OK;
    int in = -1;
    int out = -1;

    if (from >= 0) {
        status = t->ops->receive(t, from, TAG, c->buffers[1], bytes, &in, err);
    }
    if (to >= 0 && status == DTX_OK) {
        status = t->ops->send(t, to, TAG, c->buffers[0], bytes, &out, err);
    }
    if (in >= 0 && status == DTX_OK) {
        status = finish(c, in, err);
    }
    if (out >= 0 && status == DTX_OK) {
        status = finish(c, out, err);
    }
    return status;
}

/* Passes so many bytes on around the ring that this process is in. */
static enum dtx_status
pass_on(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    const struct calibrate_places *p = &c->places;
    int next = c->is_far ? p->node_next : p->ring_next;
    int last = c->is_far ? p->node_last : p->ring_last;
    enum dtx_status status = DTX_OK;

    if (next == c->transport->process) {
        return DTX_OK;
    }
    while (amount > 0 && status == DTX_OK) {
        size_t bytes = amount < CALIBRATE_BUFFER_BYTES ? (size_t)amount
                                                       : CALIBRATE_BUFFER_BYTES;

        status = exchange(c, next, last, bytes, err);
        amount -= bytes;
    }
    return status;
}

/* Sends a byte to and fro between two processes. */
static enum dtx_status
bounce(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    const int *pair = c->is_far ? c->places.far : c->places.near;
    int own = c->transport->process;
    enum dtx_status status = DTX_OK;

    for (uint64_t i = 0; i < amount && status == DTX_OK; i++) {
        if (own == pair[0]) {
            status = exchange(c, pair[1], -1, 1, err);
        } else if (own == pair[1]) {
            status = exchange(c, -1, pair[0], 1, err);
        }
        if (own == pair[0] && status == DTX_OK) {
            status = exchange(c, -1, pair[1], 1, err);
        } else if (own == pair[1] && status == DTX_OK) {
            status = exchange(c, pair[0], -1, 1, err);
        }
    }
    return status;
}

/* The rate of one process's messages, and the seconds of a small one. */
static enum dtx_status
measure(struct calibration *c, bool is_far, double *rate_out,
        double *seconds_out, struct dtx_error *err)
{
    const struct calibrate_work ring = {pass_on, NULL, 64 << 10,
                                        (uint64_t)64 << 30, 0.3};
    const struct calibrate_work pair = {bounce, NULL, 16, 1 << 20, 0.1};
    double seconds;
    enum dtx_status status;

    c->is_far = is_far;
    status = calibrate_time(c, &pair, &seconds, NULL, err);
    if (status == DTX_OK) {
        *seconds_out = seconds / 2;
        status = calibrate_time(c, &ring, &seconds, NULL, err);
    }
    if (status == DTX_OK) {
        *rate_out = 1 / seconds;
    }
    return status;
}

enum dtx_status
calibrate_messages(struct calibration *c, struct dtx_error *err)
{
    struct dtx_machine *m = &c->machine;
    enum dtx_status status = DTX_OK;

    if (c->places.near[0] >= 0) {
        status = measure(c, false, &m->message_rate, &m->message_seconds, err);
    }
    if (c->places.far[0] >= 0 && status == DTX_OK) {
        status = measure(c, true, &m->network_rate, &m->network_seconds, err);
        m->network_rate *= c->places.largest;
    }
    return status;
}
