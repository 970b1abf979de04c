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
    return false;
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
    report_set_speaker(process == 0);
    if (provided < MPI_THREAD_FUNNELED) {
        return dtx_error_set(err, DTX_ERR_COMM,
                             "this MPI allows no threads beside its own");
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
