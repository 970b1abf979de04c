#include "session.h"

#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "report.h"
#include "util/error.h"

bool
session_is_copy(void)
{
    static const char *const variables[] = {"PMI_RANK", "PMIX_RANK",
                                            "OMPI_COMM_WORLD_RANK"};

    for (int i = 0; i < 3; i++) {
        const char *value = getenv(variables[i]);

        if (value != NULL && strcmp(value, "0") != 0) {
            return true;
        }
    }
    /* Where srun starts an mpirun's helpers, this numbers them. */
    return getenv("PMI_RANK") == NULL && getenv("SLURM_PROCID") != NULL &&
           strcmp(getenv("SLURM_PROCID"), "0") != 0;
}

/* A number of processes in the environment; 0 where it isn't there. */
static long
processes_in(const char *variable)
{
    const char *value = getenv(variable);

    return value == NULL ? 0 : strtol(value, NULL, 10);
}

/* Processes that another MPI's launcher, or srun without one, has started are
 * each a job of one process, and would all do the same. */
static enum dtx_status
check_launcher(struct dtx_error *err)
{
    const char *launcher = "Open MPI's mpirun";
    long started = processes_in("OMPI_COMM_WORLD_SIZE");
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (started == 0 && getenv("PMI_RANK") == NULL &&
        getenv("SLURM_PROCID") != NULL) {
        launcher = "srun";
        started = processes_in("SLURM_STEP_NUM_TASKS");
    }
    if (size > 1 || started < 2) {
        return DTX_OK;
    }
    dtx_error_set(err, DTX_ERR_COMM,
                  "%s started %ld processes, but they can't find each other",
                  launcher, started);
    dtx_error_hint(err, "this dtx is built with MPICH: use mpirun.mpich, or "
                        "srun --mpi=pmi2");
    return DTX_ERR_COMM;
}

static enum dtx_status
begin_mpi(struct session *session, struct dtx_error *err)
{
    int process;
    int provided;

    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) !=
        MPI_SUCCESS) {
        return dtx_error_set(err, DTX_ERR_COMM, "cannot initialize MPI");
    }
    session->uses_mpi = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    report_set_speaker(process == 0 && !session_is_copy());
    if (provided < MPI_THREAD_FUNNELED) {
        return dtx_error_set(err, DTX_ERR_COMM,
                             "this MPI allows no threads beside its own");
    }
    if (check_launcher(err) != DTX_OK) {
        return DTX_ERR_COMM;
    }
    return dtx_transport_create_mpi(&session->transport, err);
}

/* The processes on this one's node. */
static int
count_node(const struct dtx_transport *transport)
{
    int own = dtx_transport_node(transport, dtx_transport_process(transport));
    int count = 0;

    for (int p = 0; p < dtx_transport_process_count(transport); p++) {
        count += dtx_transport_node(transport, p) == own;
    }
    return count;
}

enum dtx_status
session_begin(struct session *session, bool uses_mpi, struct dtx_error *err)
{
    enum dtx_status status;

    *session = (struct session){0};
    if (uses_mpi) {
        status = begin_mpi(session, err);
    } else {
        report_set_speaker(!session_is_copy());
        status = dtx_transport_create_self(&session->transport, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    session->process = dtx_transport_process(session->transport);
    session->process_count = dtx_transport_process_count(session->transport);
    session->node_process_count = count_node(session->transport);
    return DTX_OK;
}

void
session_end(struct session *session)
{
    dtx_transport_destroy(session->transport);
    if (session->uses_mpi) {
        MPI_Finalize();
    }
    *session = (struct session){0};
}

enum dtx_status
session_settle(struct session *session, enum dtx_status status,
               struct dtx_error *err)
{
    return dtx_transport_settle(session->transport, status, err);
}

enum dtx_status
session_compare(struct session *session, int64_t own, bool *is_alike_out,
                struct dtx_error *err)
{
    int64_t largest, least;
    enum dtx_status status;

    status = dtx_transport_maximum(session->transport, own, &largest, err);
    if (status == DTX_OK) {
        status = dtx_transport_maximum(session->transport, -own, &least, err);
    }
    if (status == DTX_OK) {
        *is_alike_out = largest == -least;
    }
    return status;
}
