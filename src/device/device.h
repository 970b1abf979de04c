/*
 * The device seam: where shards live while they move.
 *
 * A device has memory for staging buffers and copies boxes within it. Host
 * memory is the one implementation that every machine has, and the test
 * double of others.
 *
 * All calls are local. Several threads may call copy_box() at a time.
 */
#ifndef DTX_DEVICE_DEVICE_H
#define DTX_DEVICE_DEVICE_H

#include <stddef.h>

#include <dtx/device.h>
#include <dtx/status.h>

#include "device/box_copy.h"

struct dtx_device;

struct dtx_device_ops {
    /*
     * Gets a buffer for staging, zeroed and made present, so that its first
     * use isn't slower than the others. Large ones begin at a huge page.
     *
     * buffer_out  set on success only; NULL for 0 bytes
     */
    enum dtx_status (*allocate)(struct dtx_device *device, size_t bytes,
                                void **buffer_out, struct dtx_error *err);

    /* Gives a buffer back; NULL is fine. */
    void (*release)(struct dtx_device *device, void *buffer);

    /* Copies a box between arrays in the device's memory; done on return. */
    enum dtx_status (*copy_box)(struct dtx_device *device,
                                const struct dtx_box_copy *copy, void *dst,
                                const void *src, struct dtx_error *err);

    void (*destroy)(struct dtx_device *device);
};

struct dtx_device {
    const struct dtx_device_ops *ops;
    /* the implementation's own data follows */
};

/* Host memory. Owned by the caller: device->ops->destroy(). */
DTX_NODISCARD enum dtx_status
dtx_host_device_create(struct dtx_device **device_out, struct dtx_error *err);

#endif
