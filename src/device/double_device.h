/*
 * The double of a device whose memory is apart, for tests.
 *
 * It runs in the host's memory what kernels run on a device (kernel_*.h), in
 * the same batches. It is stricter than any device: what a lane is told waits
 * until somebody waits for it, so that who forgets to gets nothing, and who
 * uses a buffer again too early gets the wrong bytes; and its addresses are no
 * addresses of the host, so that who takes them for such crashes.
 */
#ifndef DTX_DEVICE_DOUBLE_DEVICE_H
#define DTX_DEVICE_DOUBLE_DEVICE_H

#include <stdbool.h>

#include "device/device.h"

/*
 * memory_bytes  most memory that it gives at a time; 0: all there is
 * is_open       its addresses are the host's, as transports see them that read
 *               a device's memory
 */
DTX_NODISCARD enum dtx_status
dtx_double_device_create(size_t memory_bytes, bool is_open,
                         struct dtx_device **device_out, struct dtx_error *err);

/* Has the k-th piece of work from now on fail; 0: none. */
void dtx_double_device_fail(struct dtx_device *device, int64_t k);

/* The host's address of memory of any double that isn't open, and back. */
void *dtx_double_reveal(const void *address);
void *dtx_double_hide(const void *address);

#endif
