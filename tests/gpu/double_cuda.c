#include "double_cuda.h"

#include <stdio.h>

#include "device/double_device.h"
#include "util/error.h"

#ifdef DOUBLE_IS_OPEN
bool double_is_open = true;
#else
bool double_is_open;
#endif

void
dtx_cuda_describe(char *text, size_t bytes)
{
    (void)snprintf(text, bytes, "the double of a device, for tests");
}

enum dtx_status
dtx_cuda_check(struct dtx_error *err)
{
    (void)err;
    return DTX_OK;
}

enum dtx_status
dtx_cuda_device_create(int place, int sharers, struct dtx_device **device_out,
                       struct dtx_error *err)
{
    (void)place;
    (void)sharers;
    return dtx_double_device_create(0, double_is_open, device_out, err);
}

enum dtx_status
dtx_cuda_device_of(const void *address, struct dtx_device **device_out,
                   struct dtx_error *err)
{
    struct dtx_device *device = NULL;
    enum dtx_status status =
        dtx_double_device_create(0, double_is_open, &device, err);

    if (status == DTX_OK && !device->apart->has(device, address)) {
        device->ops->destroy(device);
        return dtx_error_set(err, DTX_ERR_DEVICE,
                             "the array is in no CUDA device's memory");
    }
    if (status == DTX_OK) {
        *device_out = device;
    }
    return status;
}
