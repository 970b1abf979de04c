/*
 * The transport seam, as <dtx/transport_ops.h> has it for everyone.
 *
 * Two implementations: MPI (mpi_transport.c) and threads of one process that
 * play processes (thread_transport.h), the test double; a job of one process
 * needs neither and uses the latter with one process.
 */
#ifndef DTX_TRANSPORT_SEAM_H
#define DTX_TRANSPORT_SEAM_H

#include <dtx/transport_ops.h>

/*
 * Says in err->where what happened where: "process 3 on gpu07, target rank 3".
 * Local.
 *
 * place  behind the process; "": nothing is
 */
void dtx_transport_place(const struct dtx_transport *transport,
                         const char *place, struct dtx_error *err);

#endif
