/*
 * Whether MPI takes messages from the memory of CUDA devices, as it says
 * itself at run time.
 */
#include "transport/mpi_job.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

bool
dtx_mpi_reads_device(void)
{
#if defined(MPIX_GPU_SUPPORT_CUDA)
    int is_supported = 0;

    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_supported) ==
               MPI_SUCCESS &&
           is_supported != 0;
#elif defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}
