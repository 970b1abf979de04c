/*
 * A transport of a program's own: another one, with its messages counted.
 */
#ifndef TESTS_MPI_COUNTING_H
#define TESTS_MPI_COUNTING_H

#include <dtx/transport_ops.h>

struct counting {
    struct dtx_transport base;
    struct dtx_transport_ops ops;
    struct dtx_transport *inner;
    int message_count; /* sent by this process */
};

/* Its base has no operations until the caller sets them to its own. */
struct counting count_messages(struct dtx_transport *inner);

#endif
