/*
 * Exchanges between processes that are threads: messages with a tag that
 * nobody else uses.
 */
#include "transport/thread_self.h"
#include "util/alloc.h"
#include "util/error.h"

enum { EXCHANGE_TAG = -1 };

static enum dtx_status
start(struct dtx_thread_self *self, const struct dtx_thread_message *message,
      int index, struct dtx_error *err)
{
    enum dtx_status status =
        dtx_thread_job_start(self->job, self->base.process, message,
                             &self->exchange_requests[index], err);

    self->exchange_left += status == DTX_OK;
    return status;
}

/* Starts what goes to and comes from one process. */
static enum dtx_status
start_peer(struct dtx_thread_self *self, const struct dtx_exchange *exchange,
           int peer, struct dtx_error *err)
{
    struct dtx_thread_message in = {.is_receive = true,
                                    .peer = peer,
                                    .tag = EXCHANGE_TAG,
                                    .buffer = exchange->receive +
                                              exchange->receive_offsets[peer],
                                    .bytes = exchange->receive_counts[peer]};
    struct dtx_thread_message out = {.peer = peer,
                                     .tag = EXCHANGE_TAG,
                                     .buffer = (char *)exchange->send +
                                               exchange->send_offsets[peer],
                                     .bytes = exchange->send_counts[peer]};
    enum dtx_status status = DTX_OK;

    if (in.bytes > 0) {
        status = start(self, &in, 2 * peer, err);
    }
    if (status == DTX_OK && out.bytes > 0) {
        status = start(self, &out, 2 * peer + 1, err);
    }
    return status;
}

enum dtx_status
dtx_thread_exchange(struct dtx_transport *transport,
                    const struct dtx_exchange *exchange, struct dtx_error *err)
{
    struct dtx_thread_self *self = dtx_thread_self(transport);
    int count = transport->process_count;
    enum dtx_status status = DTX_OK;

    if (self->exchange_requests == NULL) {
        self->exchange_requests =
            dtx_alloc(2 * (size_t)count, sizeof(*self->exchange_requests));
        if (self->exchange_requests == NULL) {
            return dtx_error_memory(err);
        }
    }
    for (int i = 0; i < 2 * count; i++) {
        self->exchange_requests[i] = -1;
    }
    self->exchange_left = 0;
    for (int p = 0; p < count && status == DTX_OK; p++) {
        status = start_peer(self, exchange, p, err);
    }
    return status;
}

enum dtx_status
dtx_thread_test_exchange(struct dtx_transport *transport, bool *done_out,
                         struct dtx_error *err)
{
    struct dtx_thread_self *self = dtx_thread_self(transport);
    size_t bytes;

    for (int i = 0; i < 2 * transport->process_count; i++) {
        bool is_done = false;

        if (self->exchange_requests[i] < 0) {
            continue;
        }
        if (transport->ops->test(transport, self->exchange_requests[i],
                                 &is_done, &bytes, err) != DTX_OK) {
            return err->status;
        }
        if (is_done) {
            self->exchange_requests[i] = -1;
            self->exchange_left--;
        }
    }
    *done_out = self->exchange_left == 0;
    return DTX_OK;
}
