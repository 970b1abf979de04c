#include <stdio.h>

#include "device/device.h"
#include "util/error.h"

void
dtx_cuda_describe(char *text, size_t bytes)
{
    (void)snprintf(text, bytes, "not built in");
}

enum dtx_status
dtx_cuda_device_create(int place, int sharers, struct dtx_device **device_out,
                       struct dtx_error *err)
{
    (void)place;
    (void)sharers;
    (void)device_out;
    return dtx_cuda_check(err);
}

enum dtx_status
dtx_cuda_device_of(const void *address, struct dtx_device **device_out,
                   struct dtx_error *err)
{
    (void)address;
    (void)device_out;
    return dtx_cuda_check(err);
}

enum dtx_status
dtx_cuda_check(struct dtx_error *err)
{
    return dtx_error_set(err, DTX_ERR_DEVICE,
                         "this dtx was built without CUDA");
}
