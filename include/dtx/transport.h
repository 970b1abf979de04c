/*
 * Transports: the processes of a job, and what carries bytes between them.
 *
 * Functions are local unless they say that they are collective.
 */
#ifndef DTX_TRANSPORT_H
#define DTX_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dtx_transport;

/*
 * All processes of the MPI job. MPI must have been initialized, at least with
 * MPI_THREAD_FUNNELED; calls are made from the calling thread only. Works on
 * a duplicate of the world communicator. Collective. Owned by the caller.
 *
 * Fails with DTX_ERR_COMM where MPI isn't ready or a call of it fails, and with
 * DTX_ERR_LIMIT when out of memory.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_transport_create_mpi(struct dtx_transport **transport_out,
                         struct dtx_error *err);

/* One process alone, without MPI. Local. Owned by the caller. Fails with
 * DTX_ERR_LIMIT when out of memory. */
DTX_API DTX_NODISCARD enum dtx_status
dtx_transport_create_self(struct dtx_transport **transport_out,
                          struct dtx_error *err);

/* Collective for MPI; before MPI_Finalize. NULL is fine. */
DTX_API void dtx_transport_destroy(struct dtx_transport *transport);

DTX_API int dtx_transport_process(const struct dtx_transport *transport);
DTX_API int dtx_transport_process_count(const struct dtx_transport *transport);

/*
 * The node that a process, 0 <= process < count, runs on: processes of one
 * node can share memory. Nodes are numbered from 0, in the order of their
 * first processes. Local.
 */
DTX_API int dtx_transport_node(const struct dtx_transport *transport,
                               int process);

/*
 * Agrees on the outcome of a part of the work. Collective, blocking.
 *
 * Where any process failed, everyone gets the error of the lowest one, with
 * its process set and, where others failed too, their number said in `where`.
 * An error that was settled before stays as it is. Returns that status.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_transport_settle(struct dtx_transport *transport, enum dtx_status status,
                     struct dtx_error *err);

/*
 * Gives the bytes of one process to all. Collective, blocking; fails only with
 * DTX_ERR_COMM.
 *
 * root   the process, the same for all
 * bytes  [count] the root's are read, the others' written; count is the same
 *        for all
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_transport_broadcast(struct dtx_transport *transport, int root, void *bytes,
                        size_t count, struct dtx_error *err);

/*
 * The largest of every process's value. Collective, blocking; fails only with
 * DTX_ERR_COMM. *maximum_out is set on success only.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_transport_maximum(struct dtx_transport *transport, int64_t value,
                      int64_t *maximum_out, struct dtx_error *err);

#ifdef __cplusplus
}
#endif
#endif
