/*
 * The transport seam: messages between processes, for transports of a program's
 * own.
 *
 * A transport is a struct whose first member is a struct dtx_transport; all
 * functions that take one work on it. dtx has two: MPI, and one process alone.
 *
 * Only one thread of a process calls in. Nothing waits busily: waits test,
 * spin briefly, yield, and then sleep shortly.
 *
 * Point to point: messages between two processes arrive in the order in which
 * they were sent, and a message may be shorter than the receive: a poisoned
 * message is one of 0 bytes where more were expected.
 *
 * What fails sets err->message to a sentence without a final stop, and returns
 * DTX_ERR_COMM, or DTX_ERR_LIMIT when out of memory.
 */
#ifndef DTX_TRANSPORT_OPS_H
#define DTX_TRANSPORT_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What all processes send each other at once: [process_count] bytes and where
 * they stand in the buffers. Two processes agree on what goes between them.
 */
struct dtx_exchange {
    const char *send;
    const size_t *send_counts, *send_offsets;
    char *receive;
    const size_t *receive_counts, *receive_offsets;
};

/* One message under way. The slots belong to the engine; index names it. */
struct dtx_transport_ops {
    /*
     * Starts to receive or send. tag is small and >= 0. The buffer stays the
     * transport's until the request is done. Sizes over 2^31 bytes work.
     * request_out is a small number >= 0, free again once done.
     */
    enum dtx_status (*receive)(struct dtx_transport *transport, int peer,
                               int tag, void *buffer, size_t bytes,
                               int *request_out, struct dtx_error *err);
    enum dtx_status (*send)(struct dtx_transport *transport, int peer, int tag,
                            const void *buffer, size_t bytes, int *request_out,
                            struct dtx_error *err);

    /* Tests one request without waiting. bytes_out is what came, 0 for a
     * send. A request that failed is free again too; a message longer than
     * its receive is a failure. */
    enum dtx_status (*test)(struct dtx_transport *transport, int request,
                            bool *done_out, size_t *bytes_out,
                            struct dtx_error *err);

    /* Waits a moment, politely, for something to happen. idle counts the
     * calls since something last did. */
    void (*pause)(struct dtx_transport *transport, int idle);

    /*
     * Starts to agree: the maximum of every process's value (one agreement at
     * a time). Collective. test_agree says when it is there.
     */
    enum dtx_status (*agree)(struct dtx_transport *transport, int64_t value,
                             struct dtx_error *err);
    enum dtx_status (*test_agree)(struct dtx_transport *transport,
                                  bool *done_out, int64_t *maximum_out,
                                  struct dtx_error *err);

    /*
     * Starts an exchange (one at a time). Collective. The buffers and arrays
     * stay the transport's until test_exchange says that it is done.
     */
    enum dtx_status (*exchange)(struct dtx_transport *transport,
                                const struct dtx_exchange *exchange,
                                struct dtx_error *err);
    enum dtx_status (*test_exchange)(struct dtx_transport *transport,
                                     bool *done_out, struct dtx_error *err);

    /* Collective: bytes of the root to all. */
    enum dtx_status (*broadcast)(struct dtx_transport *transport, int root,
                                 void *buffer, size_t bytes,
                                 struct dtx_error *err);

    /*
     * Collective: everyone's bytes to all, in process order.
     *
     * counts_out  [processes] bytes of each; may be NULL
     * all_out     of dtx_transport_allocate(), owned by the caller
     *
     * Where memory is short on one process, all fail.
     */
    enum dtx_status (*gather)(struct dtx_transport *transport,
                              const void *bytes, size_t count,
                              size_t *counts_out, char **all_out,
                              struct dtx_error *err);

    void (*destroy)(struct dtx_transport *transport);
};

struct dtx_transport {
    const struct dtx_transport_ops *ops;
    int process;
    int process_count;
    int *nodes;   /* [process_count] the node of each; the implementation's */
    bool is_busy; /* dtx's own: a channel's run is under way; begins as false */
    /* Messages and exchanges may stand in the memory of CUDA devices. */
    bool reads_device;
    /* the implementation's own data follows */
};

/* Memory for what gather() gives; NULL when out of memory. Local. */
DTX_API void *dtx_transport_allocate(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
