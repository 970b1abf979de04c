/*
 * Processes that are threads: the seam on top of a thread job.
 */
#include "transport/thread_transport.h"

#include <string.h>

#include "transport/pause.h"
#include "transport/thread_job.h"
#include "transport/thread_self.h"
#include "util/alloc.h"
#include "util/error.h"

static enum dtx_status
thread_receive(struct dtx_transport *transport, int peer, int tag, void *buffer,
               size_t bytes, int *request_out, struct dtx_error *err)
{
    struct dtx_thread_message message = {.is_receive = true,
                                         .peer = peer,
                                         .tag = tag,
                                         .buffer = buffer,
                                         .bytes = bytes};

    return dtx_thread_job_start(dtx_thread_self(transport)->job,
                                transport->process, &message, request_out, err);
}

static enum dtx_status
thread_send(struct dtx_transport *transport, int peer, int tag,
            const void *buffer, size_t bytes, int *request_out,
            struct dtx_error *err)
{
    struct dtx_thread_message message = {
        .peer = peer, .tag = tag, .buffer = (char *)buffer, .bytes = bytes};

    return dtx_thread_job_start(dtx_thread_self(transport)->job,
                                transport->process, &message, request_out, err);
}

static enum dtx_status
thread_test(struct dtx_transport *transport, int request, bool *done_out,
            size_t *bytes_out, struct dtx_error *err)
{
    struct dtx_thread_message message;

    if (!dtx_thread_job_take(dtx_thread_self(transport)->job,
                             transport->process, request, &message)) {
        *done_out = false;
        return DTX_OK;
    }
    if (message.is_too_long) {
        return dtx_error_set(err, DTX_ERR_COMM,
                             "cannot receive: the message is truncated");
    }
    *bytes_out = message.bytes;
    *done_out = true;
    return DTX_OK;
}

static void
thread_pause(struct dtx_transport *transport, int idle)
{
    (void)transport;
    dtx_pause(idle);
}

static enum dtx_status
thread_agree(struct dtx_transport *transport, int64_t value,
             struct dtx_error *err)
{
    struct dtx_thread_self *self = dtx_thread_self(transport);

    (void)err;
    self->agreement_round++;
    dtx_thread_job_arrive(self->job, &self->job->agreement,
                          self->agreement_round, value);
    return DTX_OK;
}

static enum dtx_status
thread_test_agree(struct dtx_transport *transport, bool *done_out,
                  int64_t *maximum_out, struct dtx_error *err)
{
    struct dtx_thread_self *self = dtx_thread_self(transport);

    (void)err;
    *done_out = dtx_thread_job_met(self->job, &self->job->agreement,
                                   self->agreement_round, maximum_out);
    return DTX_OK;
}

/* Waits until all processes have come here; the maximum of their values. */
static int64_t
meet(struct dtx_thread_self *self, int64_t value)
{
    struct dtx_thread_meeting *meeting = &self->job->collective;
    unsigned round = ++self->collective_round;
    int64_t maximum = 0;
    int idle = 0;

    dtx_thread_job_arrive(self->job, meeting, round, value);
    while (!dtx_thread_job_met(self->job, meeting, round, &maximum)) {
        dtx_pause(idle++);
    }
    return maximum;
}

static enum dtx_status
thread_broadcast(struct dtx_transport *transport, int root, void *buffer,
                 size_t bytes, struct dtx_error *err)
{
    struct dtx_thread_self *self = dtx_thread_self(transport);
    struct dtx_thread_exhibit *exhibit = &self->job->exhibits[root];

    (void)err;
    if (transport->process == root) {
        exhibit->bytes = buffer;
    }
    (void)meet(self, 0);
    if (transport->process != root && bytes > 0) {
        memcpy(buffer, exhibit->bytes, bytes);
    }
    (void)meet(self, 0);
    return DTX_OK;
}

/* Joins what all processes show; NULL when out of memory. */
static char *
join_exhibits(const struct dtx_thread_job *job, size_t *counts_out)
{
    size_t total = 0;
    size_t at = 0;
    char *all;

    for (int p = 0; p < job->process_count; p++) {
        total += job->exhibits[p].count;
    }
    all = dtx_alloc(total, 1);
    for (int p = 0; all != NULL && p < job->process_count; p++) {
        const struct dtx_thread_exhibit *exhibit = &job->exhibits[p];

        if (exhibit->count > 0) {
            memcpy(all + at, exhibit->bytes, exhibit->count);
        }
        if (counts_out != NULL) {
            counts_out[p] = exhibit->count;
        }
        at += exhibit->count;
    }
    return all;
}

static enum dtx_status
thread_gather(struct dtx_transport *transport, const void *bytes, size_t count,
              size_t *counts_out, char **all_out, struct dtx_error *err)
{
    struct dtx_thread_self *self = dtx_thread_self(transport);
    char *all;

    self->job->exhibits[transport->process] =
        (struct dtx_thread_exhibit){.bytes = bytes, .count = count};
    (void)meet(self, 0);
    all = join_exhibits(self->job, counts_out);
    if (meet(self, all == NULL) != 0) {
        dtx_free(all);
        return dtx_error_memory(err);
    }
    *all_out = all;
    return DTX_OK;
}

static void
thread_destroy(struct dtx_transport *transport)
{
    struct dtx_thread_self *self = dtx_thread_self(transport);

    if (self->owns_job) {
        dtx_thread_job_destroy(self->job);
    }
    dtx_free(self->exchange_requests);
    dtx_free(self);
}

static const struct dtx_transport_ops thread_ops = {
    .receive = thread_receive,
    .send = thread_send,
    .test = thread_test,
    .pause = thread_pause,
    .agree = thread_agree,
    .test_agree = thread_test_agree,
    .exchange = dtx_thread_exchange,
    .test_exchange = dtx_thread_test_exchange,
    .broadcast = thread_broadcast,
    .gather = thread_gather,
    .destroy = thread_destroy,
};

enum dtx_status
dtx_thread_transport_create(struct dtx_thread_job *job, int process,
                            struct dtx_transport **out, struct dtx_error *err)
{
    struct dtx_thread_self *self = dtx_alloc(1, sizeof(*self));

    if (self == NULL) {
        return dtx_error_memory(err);
    }
    self->base.ops = &thread_ops;
    self->base.process = process;
    self->base.process_count = job->process_count;
    self->base.nodes = job->nodes;
    self->job = job;
    *out = &self->base;
    return DTX_OK;
}

enum dtx_status
dtx_transport_create_self(struct dtx_transport **transport_out,
                          struct dtx_error *err)
{
    struct dtx_thread_job *job = dtx_thread_job_create(1);

    if (job == NULL) {
        return dtx_error_memory(err);
    }
    if (dtx_thread_transport_create(job, 0, transport_out, err) != DTX_OK) {
        dtx_thread_job_destroy(job);
        return err->status;
    }
    dtx_thread_self(*transport_out)->owns_job = true;
    return DTX_OK;
}
