/*
 * Exchanges between all processes of an MPI job, with large counts.
 */
#include "transport/mpi_job.h"
#include "util/alloc.h"
#include "util/error.h"

/* Room for counts and offsets, made by the first exchange and then kept. Where
 * one process is short of memory, all stay out of the exchange. */
static enum dtx_status
make_room(struct dtx_mpi_job *job, struct dtx_error *err)
{
    size_t numbers = 2 * (size_t)job->base.process_count;
    MPI_Count *counts = dtx_alloc(numbers, sizeof(*counts));
    MPI_Aint *offsets = dtx_alloc(numbers, sizeof(*offsets));
    enum dtx_status status = dtx_mpi_fail_where_short(
        job->comm, counts == NULL || offsets == NULL, err);

    if (status != DTX_OK) {
        dtx_free(counts);
        dtx_free(offsets);
        return status;
    }
    job->exchange_counts = counts;
    job->exchange_offsets = offsets;
    return DTX_OK;
}

enum dtx_status
dtx_mpi_exchange(struct dtx_transport *transport,
                 const struct dtx_exchange *exchange, struct dtx_error *err)
{
    struct dtx_mpi_job *job = (struct dtx_mpi_job *)transport;
    int processes = transport->process_count;
    enum dtx_status status =
        job->exchange_counts == NULL ? make_room(job, err) : DTX_OK;
    MPI_Count *counts = job->exchange_counts;
    MPI_Aint *offsets = job->exchange_offsets;
    int code;

    if (status != DTX_OK) {
        return status;
    }
    for (int p = 0; p < processes; p++) {
        counts[p] = (MPI_Count)exchange->send_counts[p];
        offsets[p] = (MPI_Aint)exchange->send_offsets[p];
        counts[processes + p] = (MPI_Count)exchange->receive_counts[p];
        offsets[processes + p] = (MPI_Aint)exchange->receive_offsets[p];
    }
    code = MPI_Ialltoallv_c(exchange->send, counts, offsets, MPI_BYTE,
                            exchange->receive, counts + processes,
                            offsets + processes, MPI_BYTE, job->comm,
                            &job->exchange);
    return code == MPI_SUCCESS ? DTX_OK : dtx_mpi_fail(err, "exchange", code);
}

enum dtx_status
dtx_mpi_test_exchange(struct dtx_transport *transport, bool *done_out,
                      struct dtx_error *err)
{
    struct dtx_mpi_job *job = (struct dtx_mpi_job *)transport;
    int is_done = 0;
    int code = MPI_Test(&job->exchange, &is_done, MPI_STATUS_IGNORE);

    if (code != MPI_SUCCESS) {
        return dtx_mpi_fail(err, "exchange", code);
    }
    *done_out = is_done;
    return DTX_OK;
}
