#include <stdio.h>

#include "device/cuda_internal.h"
#include "device/device.h"
#include "util/error.h"

int
dtx_cuda_count(struct dtx_error *err)
{
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);

    if (code == cudaSuccess && count > 0) {
        return count;
    }
    if (code == cudaErrorInsufficientDriver) {
        /* CUDA's own words don't say that there may be no driver at all. */
        dtx_error_set(err, DTX_ERR_DEVICE,
                      "no CUDA device: no driver, or too old a one");
    } else if (code != cudaSuccess && code != cudaErrorNoDevice) {
        dtx_error_set(err, DTX_ERR_DEVICE, "no CUDA device: %s",
                      cudaGetErrorString(code));
    } else {
        dtx_error_set(err, DTX_ERR_DEVICE, "no CUDA device on this machine");
    }
    return 0;
}

enum dtx_status
dtx_cuda_check(struct dtx_error *err)
{
    return dtx_cuda_count(err) > 0 ? DTX_OK : DTX_ERR_DEVICE;
}

void
dtx_cuda_describe(char *text, size_t bytes)
{
    struct cudaDeviceProp properties;
    struct dtx_error err;
    int count = dtx_cuda_count(&err), version = 0;

    (void)cudaRuntimeGetVersion(&version);
    if (count == 0) {
        (void)snprintf(text, bytes, "%d.%d, %s", version / 1000,
                       version % 1000 / 10, err.message);
        return;
    }
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
        properties.name[0] = '\0';
    }
    (void)snprintf(text, bytes, "%d.%d, %d device%s, %s", version / 1000,
                   version % 1000 / 10, count, count == 1 ? "" : "s",
                   properties.name);
}
