/*
 * Checks the MPI transport under mpirun: all promises of the seam, or with
 * a number of bytes just one message of that size. What follows "--nodes" is
 * the node that each process must find itself on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "support/transport_claims.h"
#include "util/alloc.h"

static int
check(const char *name, const char *wrong, int process)
{
    if (wrong != NULL) {
        fprintf(stderr, "%s: process %d: not so: %s\n", name, process, wrong);
    }
    return wrong != NULL;
}

static int
check_all(struct dtx_transport *transport)
{
    int failure_count = 0;

    for (int i = 0; i < transport_claim_count; i++) {
        failure_count += check(transport_claims[i].name,
                               transport_claims[i].check(transport),
                               dtx_transport_process(transport));
    }
    return failure_count;
}

static int
check_nodes(struct dtx_transport *transport, int count, char **nodes)
{
    int failure_count = count != dtx_transport_process_count(transport);

    for (int p = 0; p < count && failure_count == 0; p++) {
        failure_count += dtx_transport_node(transport, p) != atoi(nodes[p]);
    }
    return check("processes find their nodes",
                 failure_count > 0 ? "they are where they were put" : NULL,
                 dtx_transport_process(transport));
}

/* Whether all that a run has under way at a time, to and from the process
 * itself, takes no memory. */
static const char *
messages_need_no_memory(struct dtx_transport *transport)
{
    enum { COUNT = 128 };
    const struct dtx_transport_ops *ops = transport->ops;
    int own = dtx_transport_process(transport);
    int requests[2 * COUNT];
    char in[COUNT], out[COUNT] = {0};
    enum dtx_status status = DTX_OK;
    struct dtx_error err;
    size_t bytes;

    dtx_alloc_fail_after(0);
    for (int i = 0; i < COUNT && status == DTX_OK; i++) {
        status =
            ops->receive(transport, own, 1, &in[i], 1, &requests[2 * i], &err);
        if (status == DTX_OK) {
            status = ops->send(transport, own, 1, &out[i], 1,
                               &requests[2 * i + 1], &err);
        }
    }
    dtx_alloc_fail_after(-1);
    for (int i = 0; i < 2 * COUNT && status == DTX_OK; i++) {
        bool is_done = false;

        while (!is_done && status == DTX_OK) {
            status = ops->test(transport, requests[i], &is_done, &bytes, &err);
        }
    }
    return status == DTX_OK ? NULL : "they can all be started";
}

int
main(int argc, char **argv)
{
    struct dtx_transport *transport;
    struct dtx_error err;
    int level;
    int failure_count;

    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) !=
        MPI_SUCCESS) {
        return 1;
    }
    if (dtx_transport_create_mpi(&transport, &err) != DTX_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], "--nodes") == 0) {
        failure_count =
            check_nodes(transport, argc - 2, argv + 2) + check_all(transport);
    } else if (argc > 1) {
        failure_count =
            check("a huge message arrives",
                  huge_message_arrives(transport, strtoull(argv[1], NULL, 10)),
                  dtx_transport_process(transport));
    } else {
        failure_count =
            check("messages need no memory", messages_need_no_memory(transport),
                  dtx_transport_process(transport)) +
            check_all(transport);
    }
    dtx_transport_destroy(transport);
    MPI_Finalize();
    return failure_count != 0;
}
