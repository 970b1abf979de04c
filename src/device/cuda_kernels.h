/*
 * Launching CUDA's kernels.
 *
 * All return cudaSuccess or what is wrong with the launch; what goes wrong
 * later, the stream's next call says.
 */
#ifndef DTX_DEVICE_CUDA_KERNELS_H
#define DTX_DEVICE_CUDA_KERNELS_H

#include <cuda_runtime_api.h>

#include "device/kernel_box.h"
#include "device/kernel_reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What kernels find, on the device: the bits of struct dtx_device_outcome. */
struct dtx_cuda_found {
    unsigned long long bad;                /* all ones: none */
    unsigned long long absolute, relative; /* of floats >= 0, as their bits */
};

/* Copies a batch. jobs [count] are on the device. */
cudaError_t dtx_cuda_copy_boxes(const struct dtx_box_job *jobs, int count,
                                uint32_t tiles, cudaStream_t stream);

/* Raises what is found. job is copied; its addresses are the device's. */
cudaError_t dtx_cuda_convert(const struct dtx_convert_job *job,
                             struct dtx_cuda_found *found, cudaStream_t stream);
cudaError_t dtx_cuda_reduce(const struct dtx_reduce_job *job,
                            struct dtx_cuda_found *found, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
