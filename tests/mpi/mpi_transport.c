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
        failure_count = check_all(transport);
    }
    dtx_transport_destroy(transport);
    MPI_Finalize();
    return failure_count != 0;
}
