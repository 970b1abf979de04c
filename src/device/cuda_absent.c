#include <stdio.h>

#include <dtx/device.h>

void
dtx_cuda_describe(char *text, size_t bytes)
{
    (void)snprintf(text, bytes, "not built in");
}
