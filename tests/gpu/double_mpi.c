/*
 * An MPI that reads the memory of the double of a device, which has addresses
 * of the host.
 */
#include "transport/mpi_job.h"

bool
dtx_mpi_reads_device(void)
{
    return true;
}
