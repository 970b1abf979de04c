/*
 * What all processes of an MPI job do together.
 *
 * A call moves at most 1 GiB, so that counts and displacements are MPI's ints.
 */
#include <stdint.h>
#include <string.h>

#include "transport/mpi_job.h"
#include "transport/pause.h"
#include "util/alloc.h"
#include "util/error.h"

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "sizes travel as uint64");

#define PIECE_BYTES ((size_t)1 << 30)

enum dtx_status
dtx_mpi_fail(struct dtx_error *err, const char *what, int code)
{
    char reason[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;

    (void)MPI_Error_string(code, reason, &length);
    return dtx_error_set(err, DTX_ERR_COMM, "cannot %s: %s", what, reason);
}

enum dtx_status
dtx_mpi_finish(MPI_Request *request, const char *what, struct dtx_error *err)
{
    int is_done = 0;
    int idle = 0;

    for (;;) {
        int code = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);

        if (code != MPI_SUCCESS) {
            return dtx_mpi_fail(err, what, code);
        }
        if (is_done) {
            return DTX_OK;
        }
        dtx_pause(idle++);
    }
}

static struct dtx_mpi_job *
job_of(struct dtx_transport *transport)
{
    return (struct dtx_mpi_job *)transport;
}

enum dtx_status
dtx_mpi_agree(struct dtx_transport *transport, int64_t value,
              struct dtx_error *err)
{
    struct dtx_mpi_job *job = job_of(transport);
    int code;

    job->agreement_value = value;
    code = MPI_Iallreduce(&job->agreement_value, &job->agreement_maximum, 1,
                          MPI_INT64_T, MPI_MAX, job->comm, &job->agreement);
    return code == MPI_SUCCESS ? DTX_OK : dtx_mpi_fail(err, "agree", code);
}

enum dtx_status
dtx_mpi_test_agree(struct dtx_transport *transport, bool *done_out,
                   int64_t *maximum_out, struct dtx_error *err)
{
    struct dtx_mpi_job *job = job_of(transport);
    int is_done = 0;
    int code = MPI_Test(&job->agreement, &is_done, MPI_STATUS_IGNORE);

    if (code != MPI_SUCCESS) {
        return dtx_mpi_fail(err, "agree", code);
    }
    if (is_done) {
        *maximum_out = job->agreement_maximum;
    }
    *done_out = is_done;
    return DTX_OK;
}

enum dtx_status
dtx_mpi_broadcast(struct dtx_transport *transport, int root, void *buffer,
                  size_t bytes, struct dtx_error *err)
{
    MPI_Request request;

    for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
        size_t piece = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        int code = MPI_Ibcast((char *)buffer + at, (int)piece, MPI_BYTE, root,
                              job_of(transport)->comm, &request);

        if (code != MPI_SUCCESS) {
            return dtx_mpi_fail(err, "broadcast", code);
        }
        if (dtx_mpi_finish(&request, "broadcast", err) != DTX_OK) {
            return err->status;
        }
    }
    return DTX_OK;
}

enum dtx_status
dtx_mpi_fail_where_short(MPI_Comm comm, bool is_short, struct dtx_error *err)
{
    MPI_Request request;
    int value = is_short;
    int maximum = 0;
    int code =
        MPI_Iallreduce(&value, &maximum, 1, MPI_INT, MPI_MAX, comm, &request);

    if (code != MPI_SUCCESS) {
        return dtx_mpi_fail(err, "agree", code);
    }
    if (dtx_mpi_finish(&request, "agree", err) != DTX_OK) {
        return err->status;
    }
    return maximum == 0 ? DTX_OK : dtx_error_memory(err);
}

/*
 * A gather on its way: the room for it, of which a process can run short
 * alone.
 */
struct gathering {
    size_t *counts; /* [processes] bytes of each */
    int *pieces;    /* [2 * processes] counts and displacements, as MPI's */
    char *all;
    size_t total;
};

static void
gathering_finish(struct gathering *g)
{
    dtx_free(g->counts);
    dtx_free(g->pieces);
    dtx_free(g->all);
}

/* Everyone's counts to all. */
static enum dtx_status
gather_counts(struct dtx_mpi_job *job, size_t count, struct gathering *g,
              struct dtx_error *err)
{
    uint64_t own = count;
    MPI_Request request;
    int code = MPI_Iallgather(&own, 1, MPI_UINT64_T, g->counts, 1, MPI_UINT64_T,
                              job->comm, &request);

    return code == MPI_SUCCESS ? dtx_mpi_finish(&request, "gather", err)
                               : dtx_mpi_fail(err, "gather", code);
}

/* Everyone's bytes to all, with at most PIECE_BYTES together. */
static enum dtx_status
gather_at_once(struct dtx_mpi_job *job, const void *bytes, size_t count,
               struct gathering *g, struct dtx_error *err)
{
    int *counts = g->pieces;
    int *displacements = g->pieces + job->base.process_count;
    MPI_Request request;
    int at = 0;
    int code;

    for (int p = 0; p < job->base.process_count; p++) {
        counts[p] = (int)g->counts[p];
        displacements[p] = at;
        at += counts[p];
    }
    code = MPI_Iallgatherv(bytes, (int)count, MPI_BYTE, g->all, counts,
                           displacements, MPI_BYTE, job->comm, &request);
    return code == MPI_SUCCESS ? dtx_mpi_finish(&request, "gather", err)
                               : dtx_mpi_fail(err, "gather", code);
}

/* The same for any sizes, one process after the other. */
static enum dtx_status
gather_in_turn(struct dtx_mpi_job *job, const void *bytes, struct gathering *g,
               struct dtx_error *err)
{
    char *at = g->all;
    enum dtx_status status = DTX_OK;

    for (int p = 0; status == DTX_OK && p < job->base.process_count; p++) {
        if (p == job->base.process && g->counts[p] > 0) {
            memcpy(at, bytes, g->counts[p]);
        }
        status = dtx_mpi_broadcast(&job->base, p, at, g->counts[p], err);
        at += g->counts[p];
    }
    return status;
}

static enum dtx_status
gather_into(struct dtx_mpi_job *job, const void *bytes, size_t count,
            struct gathering *g, struct dtx_error *err)
{
    size_t processes = (size_t)job->base.process_count;
    enum dtx_status status;

    g->counts = dtx_alloc(processes, sizeof(*g->counts));
    g->pieces = dtx_alloc(2 * processes, sizeof(*g->pieces));
    status = dtx_mpi_fail_where_short(
        job->comm, g->counts == NULL || g->pieces == NULL, err);
    if (status == DTX_OK) {
        status = gather_counts(job, count, g, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    for (size_t p = 0; p < processes; p++) {
        g->total += g->counts[p];
    }
    g->all = dtx_alloc(g->total, 1);
    status = dtx_mpi_fail_where_short(job->comm, g->all == NULL, err);
    if (status != DTX_OK) {
        return status;
    }
    if (g->total <= PIECE_BYTES) {
        return gather_at_once(job, bytes, count, g, err);
    }
    return gather_in_turn(job, bytes, g, err);
}

enum dtx_status
dtx_mpi_gather(struct dtx_transport *transport, const void *bytes, size_t count,
               size_t *counts_out, char **all_out, struct dtx_error *err)
{
    struct gathering g = {0};
    enum dtx_status status =
        gather_into(job_of(transport), bytes, count, &g, err);

    if (status == DTX_OK) {
        if (counts_out != NULL) {
            memcpy(counts_out, g.counts,
                   (size_t)transport->process_count * sizeof(*counts_out));
        }
        *all_out = g.all;
        g.all = NULL;
    }
    gathering_finish(&g);
    return status;
}
