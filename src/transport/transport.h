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

#endif
