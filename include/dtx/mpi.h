/*
 * Transports on communicators of the program's own.
 *
 * The one header of dtx that needs <mpi.h>.
 */
#ifndef DTX_MPI_H
#define DTX_MPI_H

#include <mpi.h>

#include <dtx/status.h>
#include <dtx/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The processes of a communicator, on a duplicate of it: a program's own
 * messages are not disturbed. Of an intercommunicator, the processes of both
 * groups, numbered one group after the other. Collective over the
 * communicator, else as dtx_transport_create_mpi().
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_transport_create_comm(MPI_Comm comm, struct dtx_transport **transport_out,
                          struct dtx_error *err);

/* The same with Fortran's handle of a communicator. Collective. */
DTX_API DTX_NODISCARD enum dtx_status
dtx_transport_create_fint(MPI_Fint comm, struct dtx_transport **transport_out,
                          struct dtx_error *err);

#ifdef __cplusplus
}
#endif
#endif
