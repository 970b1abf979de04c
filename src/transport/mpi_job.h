/*
 * What the two halves of the MPI transport share: the job, and waiting.
 *
 * Every wait is a test in a polite loop: MPICH never yields in its own
 * blocking calls, so that with more processes than cores they crawl.
 */
#ifndef DTX_TRANSPORT_MPI_JOB_H
#define DTX_TRANSPORT_MPI_JOB_H

#include <mpi.h>

#include "transport/transport.h"

struct dtx_mpi_job {
    struct dtx_transport base;
    MPI_Comm comm; /* a duplicate of the program's */
    MPI_Request agreement;
    int64_t agreement_value;
    int64_t agreement_maximum;
    MPI_Request exchange;
    MPI_Count *exchange_counts; /* [2 * processes] to send, to receive */
    MPI_Aint *exchange_offsets; /* alike; both NULL before the first */
};

/* Sets DTX_ERR_COMM: "cannot WHAT: " and MPI's own words for the code. */
enum dtx_status dtx_mpi_fail(struct dtx_error *err, const char *what, int code);

/* Waits for a request; what names it in the message. */
enum dtx_status dtx_mpi_finish(MPI_Request *request, const char *what,
                               struct dtx_error *err);

/* Fails with "out of memory" everywhere where any process is short of it.
 * Collective. */
enum dtx_status dtx_mpi_fail_where_short(MPI_Comm comm, bool is_short,
                                         struct dtx_error *err);

/*
 * Numbers the nodes of the job's processes; see dtx_transport_node().
 * Collective.
 *
 * nodes  [process_count] set on success only
 */
enum dtx_status dtx_mpi_find_nodes(struct dtx_mpi_job *job, int *nodes,
                                   struct dtx_error *err);

/* Whether messages may stand in the memory of CUDA devices. Local. */
bool dtx_mpi_reads_device(void);

/* The seam's collective operations. */
enum dtx_status dtx_mpi_agree(struct dtx_transport *transport, int64_t value,
                              struct dtx_error *err);
enum dtx_status dtx_mpi_test_agree(struct dtx_transport *transport,
                                   bool *done_out, int64_t *maximum_out,
                                   struct dtx_error *err);
enum dtx_status dtx_mpi_exchange(struct dtx_transport *transport,
                                 const struct dtx_exchange *exchange,
                                 struct dtx_error *err);
enum dtx_status dtx_mpi_test_exchange(struct dtx_transport *transport,
                                      bool *done_out, struct dtx_error *err);
enum dtx_status dtx_mpi_broadcast(struct dtx_transport *transport, int root,
                                  void *buffer, size_t bytes,
                                  struct dtx_error *err);
enum dtx_status dtx_mpi_gather(struct dtx_transport *transport,
                               const void *bytes, size_t count,
                               size_t *counts_out, char **all_out,
                               struct dtx_error *err);

#endif
