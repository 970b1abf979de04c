/*
 * What the two halves of the transport on threads share: one process's own.
 */
#ifndef DTX_TRANSPORT_THREAD_SELF_H
#define DTX_TRANSPORT_THREAD_SELF_H

#include "transport/thread_job.h"
#include "transport/transport.h"

struct dtx_thread_self {
    struct dtx_transport base;
    struct dtx_thread_job *job;
    bool owns_job;
    unsigned agreement_round;
    unsigned collective_round;
    int exchange_left;      /* messages of the exchange that aren't done */
    int *exchange_requests; /* [2 * process_count], -1: done; NULL: no exchange
                               yet */
};

static inline struct dtx_thread_self *
dtx_thread_self(struct dtx_transport *transport)
{
    return (struct dtx_thread_self *)transport;
}

/* The seam's operations of these names. */
enum dtx_status dtx_thread_exchange(struct dtx_transport *transport,
                                    const struct dtx_exchange *exchange,
                                    struct dtx_error *err);
enum dtx_status dtx_thread_test_exchange(struct dtx_transport *transport,
                                         bool *done_out, struct dtx_error *err);

#endif
