/*
 * Simulated processes: each is a thread of this process with a transport of
 * its own. The test double of the transport seam.
 */
#ifndef DTX_TRANSPORT_THREAD_TRANSPORT_H
#define DTX_TRANSPORT_THREAD_TRANSPORT_H

#include "transport/transport.h"

struct dtx_thread_job;

/* A job of simulated processes; its transports must be destroyed first. */
struct dtx_thread_job *dtx_thread_job_create(int process_count);
void dtx_thread_job_destroy(struct dtx_thread_job *job);

/*
 * Says on which node each process is; until then all are on one.
 *
 * nodes  [process_count] numbered as dtx_transport_node() has them
 */
void dtx_thread_job_set_nodes(struct dtx_thread_job *job, const int *nodes);

/* The transport of one of them, to be used by one thread. */
enum dtx_status dtx_thread_transport_create(struct dtx_thread_job *job,
                                            int process,
                                            struct dtx_transport **out,
                                            struct dtx_error *err);

#endif
