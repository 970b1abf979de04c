/*
 * What processes do without each other, all at once: memory is shared.
 */
#include <stdatomic.h>

#include "engine/calibrate/calibrate.h"
#include "engine/step/worker.h"
#include "layout/convert.h"

enum {
    ROW_BYTES = 4096, /* of which every other half is copied */
    CONVERT_COUNT = CALIBRATE_BUFFER_BYTES / 4,
};

enum dtx_status
calibrate_copy(struct dtx_device *device, void *dst, const void *src,
               uint64_t amount, struct dtx_error *err)
{
    const int64_t rows = CALIBRATE_BUFFER_BYTES / ROW_BYTES;
    const int64_t shape[] = {rows, ROW_BYTES};
    const int64_t len[] = {rows, ROW_BYTES / 2};
    const int64_t origin[] = {0, 0};
    const struct dtx_box_copy box = {.ndim = 2,
                                     .element_bytes = 1,
                                     .len = len,
                                     .dst_shape = len,
                                     .dst_lo = origin,
                                     .src_shape = shape,
                                     .src_lo = origin};
    enum dtx_status status = DTX_OK;

    for (uint64_t i = 0; i < amount && status == DTX_OK; i++) {
        status =
            device->ops->copy_box(device, DTX_LANE_READ, &box, dst, src, err);
    }
    return status;
}

static enum dtx_status
copy(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    return calibrate_copy(c->device, c->buffers[1], c->buffers[0], amount, err);
}

static enum dtx_status
convert(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    (void)err;
    for (uint64_t i = 0; i < amount; i++) {
        (void)dtx_convert(DTX_FLOAT32, DTX_BFLOAT16, c->buffers[0],
                          c->buffers[1], CONVERT_COUNT);
    }
    return DTX_OK;
}

static void
note(void *argument)
{
    atomic_store((atomic_bool *)argument, true);
}

/* What a step takes without bytes: a thread is told, all agree, and the
 * thread's answer is awaited. */
static enum dtx_status
step(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    struct dtx_worker worker;
    enum dtx_status status = dtx_worker_start(&worker, err);

    status = dtx_transport_settle(c->transport, status, err);
    for (uint64_t i = 0; i < amount && status == DTX_OK; i++) {
        atomic_bool is_done = false;
        int64_t maximum;
        int idle = 0;

        dtx_worker_submit(&worker, note, &is_done);
        status = dtx_transport_maximum(c->transport, 0, &maximum, err);
        while (!atomic_load(&is_done)) {
            c->transport->ops->pause(c->transport, idle++);
        }
    }
    dtx_worker_stop(&worker);
    return status;
}

enum dtx_status
calibrate_memory(struct calibration *c, struct dtx_error *err)
{
    const struct calibrate_work copying = {copy, NULL, 4, 1 << 20, 0.1};
    const struct calibrate_work converting = {convert, NULL, 1, 1 << 20, 0.1};
    const struct calibrate_work stepping = {step, NULL, 16, 1 << 20, 0.1};
    double seconds;
    enum dtx_status status = calibrate_time(c, &copying, &seconds, NULL, err);

    if (status == DTX_OK) {
        c->machine.copy_rate = CALIBRATE_COPY_BYTES / seconds;
        status = calibrate_time(c, &converting, &seconds, NULL, err);
    }
    if (status == DTX_OK) {
        c->machine.convert_rate = CONVERT_COUNT * 2 / seconds;
        status = calibrate_time(c, &stepping, &seconds, NULL, err);
    }
    if (status == DTX_OK) {
        c->machine.step_seconds = seconds;
    }
    return status;
}
