/*
 * Transports: the processes of a job, and what carries bytes between them.
 *
 * Functions are local unless they say that they are collective.
 */
#ifndef DTX_TRANSPORT_H
#define DTX_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dtx_transport;

/*
 * What carries what is on a CUDA device between processes. MPI: it goes
 * through the host's memory. CUDA: MPI takes it where it is, if it says that
 * it can, and else it goes through pinned memory of the host. AUTO: CUDA where
 * shards are on a device, else MPI.
 */
enum dtx_carrier { DTX_CARRIER_AUTO, DTX_CARRIER_MPI, DTX_CARRIER_CUDA };

/* "auto", "mpi", "cuda". Static text. Local. */
DTX_API const char *dtx_carrier_name(enum dtx_carrier carrier);

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

/* True where messages may stand in the memory of CUDA devices: MPI says so
 * (MPIX_GPU_query_support or MPIX_Query_cuda_support). Local. */
DTX_API bool dtx_transport_reads_device(const struct dtx_transport *transport);

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
