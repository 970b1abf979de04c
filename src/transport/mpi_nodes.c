/*
 * Which processes of a job share a node.
 *
 * MPI says it: those that could share memory. Names of hosts would not do,
 * since containers have any, or all the same.
 */
#include <string.h>

#include "transport/mpi_job.h"
#include "util/alloc.h"

/* The lowest process of this node. Collective. */
static enum dtx_status
find_first(struct dtx_mpi_job *job, int *first_out, struct dtx_error *err)
{
    const int lowest = 0;
    MPI_Comm node;
    MPI_Group all, near;
    int code;

    /* By their order in the job, so that the lowest comes first. */
    code = MPI_Comm_split_type(job->comm, MPI_COMM_TYPE_SHARED,
                               job->base.process, MPI_INFO_NULL, &node);
    if (code != MPI_SUCCESS) {
        return dtx_mpi_fail(err, "tell the processes of a node", code);
    }
    (void)MPI_Comm_group(job->comm, &all);
    (void)MPI_Comm_group(node, &near);
    (void)MPI_Group_translate_ranks(near, 1, &lowest, all, first_out);
    (void)MPI_Group_free(&near);
    (void)MPI_Group_free(&all);
    (void)MPI_Comm_free(&node);
    return DTX_OK;
}

enum dtx_status
dtx_mpi_find_nodes(struct dtx_mpi_job *job, int *nodes, struct dtx_error *err)
{
    int first = 0;
    int node_count = 0;
    char *all = NULL; /* everyone's first */
    enum dtx_status status = find_first(job, &first, err);

    if (status == DTX_OK) {
        status =
            dtx_mpi_gather(&job->base, &first, sizeof(first), NULL, &all, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    for (int p = 0; p < job->base.process_count; p++) {
        memcpy(&first, all + (size_t)p * sizeof(first), sizeof(first));
        nodes[p] = first < p ? nodes[first] : node_count++;
    }
    dtx_free(all);
    return DTX_OK;
}
