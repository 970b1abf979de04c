/*
 * CUDA's kernels do what the host does, on random boxes, elements and terms.
 * Exits 77 where there is no device.
 *
 *     gpu-kernels [N]    makes one of N random trials, for slow tools
 */
#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"
#include "support/device_claims.h"

static const struct {
    const char *name;
    void (*claims)(struct dtx_device *device);
} parts[] = {
    {"boxes", device_claims_boxes},
    {"batches of boxes", device_claims_batches},
    {"chains of boxes", device_claims_chains},
    {"conversions of all types", device_claims_conversions},
    {"all codes of 16 bits", device_claims_codes},
    {"losses", device_claims_losses},
    {"reductions", device_claims_reductions},
};

int
main(int argc, char **argv)
{
    struct dtx_device *device = NULL;
    struct dtx_error err = {0};
    size_t i;

    if (dtx_cuda_device_create(0, 1, &device, &err) != DTX_OK) {
        printf("%s\n", err.message);
        return 77;
    }
    if (argc > 1 && atoi(argv[1]) > 0) {
        device_claims_thinning = atoi(argv[1]);
    }
    for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        parts[i].claims(device);
        printf("%s: as on the host\n", parts[i].name);
        fflush(stdout);
    }
    device->ops->destroy(device);
    return 0;
}
