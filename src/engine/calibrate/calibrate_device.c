/*
 * CUDA devices: what goes to them and back, and from box to box within them,
 * all processes at once.
 */
#include "engine/calibrate/calibrate.h"
#include "engine/step/apart.h"
#include "util/error.h"

static enum dtx_status
transfer(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    struct dtx_device *device = c->gpu;
    enum dtx_status status = DTX_OK;

    for (uint64_t i = 0; i < amount && status == DTX_OK; i++) {
        status = device->apart->upload(device, DTX_LANE_READ, c->arrays[0],
                                       c->near, CALIBRATE_BUFFER_BYTES, err);
    }
    return status == DTX_OK ? device->apart->finish(device, DTX_LANE_READ, err)
                            : status;
}

static enum dtx_status
copy(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    struct dtx_device *device = c->gpu;
    enum dtx_status status =
        calibrate_copy(device, c->arrays[1], c->arrays[0], amount, err);

    return status == DTX_OK ? device->apart->finish(device, DTX_LANE_READ, err)
                            : status;
}

/* Opens the device and gets memory of it. Local. */
static enum dtx_status
open_device(struct calibration *c, struct dtx_error *err)
{
    enum dtx_status status =
        engine_open_device(DTX_DEVICE_CUDA, c->transport, &c->gpu, err);

    for (int i = 0; i < 2 && status == DTX_OK; i++) {
        status = c->gpu->ops->allocate(c->gpu, CALIBRATE_BUFFER_BYTES,
                                       &c->arrays[i], err);
    }
    return status == DTX_OK ? c->gpu->apart->allocate_near(
                                  c->gpu, CALIBRATE_BUFFER_BYTES, &c->near, err)
                            : status;
}

static void
close_device(struct calibration *c)
{
    if (c->gpu != NULL) {
        c->gpu->ops->release(c->gpu, c->arrays[0]);
        c->gpu->ops->release(c->gpu, c->arrays[1]);
        c->gpu->apart->release_near(c->gpu, c->near);
        c->gpu->ops->destroy(c->gpu);
    }
}

enum dtx_status
calibrate_device(struct calibration *c, struct dtx_error *err)
{
    const struct calibrate_work transferring = {transfer, NULL, 1, 1 << 16,
                                                0.1};
    const struct calibrate_work copying = {copy, NULL, 4, 1 << 20, 0.1};
    struct dtx_error ignored = {0};
    enum dtx_status status = DTX_OK;
    double seconds;
    int64_t lacks;

    status = dtx_transport_maximum(
        c->transport, open_device(c, &ignored) != DTX_OK, &lacks, err);
    if (status == DTX_OK && lacks == 0) {
        status = calibrate_time(c, &transferring, &seconds, NULL, err);
        if (status == DTX_OK) {
            c->machine.device_rate = CALIBRATE_BUFFER_BYTES / seconds;
            status = calibrate_time(c, &copying, &seconds, NULL, err);
        }
        if (status == DTX_OK) {
            c->machine.device_copy_rate = CALIBRATE_COPY_BYTES / seconds;
        }
    }
    close_device(c);
    return status;
}
