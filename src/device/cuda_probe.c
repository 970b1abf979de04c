#include <stdio.h>

#include <cuda_runtime_api.h>

#include "device/device.h"
#include "util/error.h"

void
dtx_cuda_describe(char *text, size_t bytes)
{
    struct cudaDeviceProp properties;
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);

    if (code == cudaSuccess && count > 0) {
        code = cudaGetDeviceProperties(&properties, 0);
    }
    if (code == cudaErrorInsufficientDriver) {
        /* CUDA's own words don't say that there may be no driver at all. */
        (void)snprintf(text, bytes, "no device (no driver, or too old a one)");
    } else if (code != cudaSuccess) {
        (void)snprintf(text, bytes, "no device (%s)", cudaGetErrorString(code));
    } else if (count == 0) {
        (void)snprintf(text, bytes, "no device");
    } else {
        (void)snprintf(text, bytes, "%d device%s, %s", count,
                       count == 1 ? "" : "s", properties.name);
    }
}

enum dtx_status
dtx_cuda_device_create(int place, int sharers, struct dtx_device **device_out,
                       struct dtx_error *err)
{
    (void)place;
    (void)sharers;
    (void)device_out;
    return dtx_error_set(err, DTX_ERR_DEVICE, "CUDA is not built yet");
}
