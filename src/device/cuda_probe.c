#include <stdio.h>

#include <cuda_runtime_api.h>

#include <dtx/device.h>

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
