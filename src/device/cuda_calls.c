/*
 * What goes with every call of CUDA: which device it is for, and the error
 * where it fails.
 */
#include "device/cuda_internal.h"
#include "util/error.h"

enum dtx_status
dtx_cuda_fail(struct dtx_error *err, const char *what, cudaError_t code)
{
    return dtx_error_set(err, DTX_ERR_DEVICE, "cannot %s: %s", what,
                         cudaGetErrorString(code));
}

enum dtx_status
dtx_cuda_enter(const struct cuda_device *self, struct dtx_error *err)
{
    cudaError_t code = cudaSetDevice(self->ordinal);

    return code == cudaSuccess ? DTX_OK
                               : dtx_cuda_fail(err, "use the device", code);
}
