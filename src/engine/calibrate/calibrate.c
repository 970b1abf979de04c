#include "engine/calibrate/calibrate.h"

/* Makes what measuring takes. Local. */
static enum dtx_status
prepare(struct calibration *c, struct dtx_error *err)
{
    enum dtx_status status = dtx_host_device_create(&c->device, err);

    for (int i = 0; i < 2 && status == DTX_OK; i++) {
        void *buffer;

        status = c->device->ops->allocate(c->device, CALIBRATE_BUFFER_BYTES,
                                          &buffer, err);
        if (status == DTX_OK) {
            c->buffers[i] = buffer;
        }
    }
    if (status == DTX_OK) {
        status = dtx_trial_open(c->options->folder, &c->trial, err);
    }
    return status == DTX_OK ? dtx_trial_open(c->options->folder, &c->other, err)
                            : status;
}

static void
finish(struct calibration *c)
{
    dtx_trial_close(&c->trial);
    dtx_trial_close(&c->other);
    if (c->device != NULL) {
        c->device->ops->release(c->device, c->buffers[0]);
        c->device->ops->release(c->device, c->buffers[1]);
        c->device->ops->destroy(c->device);
    }
}

enum dtx_status
dtx_calibrate(struct dtx_transport *transport,
              const struct dtx_calibrate_options *options,
              struct dtx_machine *machine_out, struct dtx_error *err)
{
    struct calibration c = {.transport = transport,
                            .options = options,
                            .trial = {.fd = -1},
                            .other = {.fd = -1}};
    enum dtx_status status = prepare(&c, err);

    status = dtx_transport_settle(transport, status, err);
    calibrate_find_places(transport, &c.places);
    if (status == DTX_OK) {
        status = calibrate_memory(&c, err);
    }
    if (status == DTX_OK) {
        status = calibrate_device(&c, err);
    }
    if (status == DTX_OK) {
        status = calibrate_messages(&c, err);
    }
    if (status == DTX_OK) {
        status = calibrate_storage(&c, err);
    }
    if (status == DTX_OK) {
        status = calibrate_overlap(&c, err);
    }
    if (status == DTX_OK) {
        if (c.places.node_count > 1) {
            c.machine.processes_per_node = c.places.largest;
        }
        *machine_out = c.machine;
    }
    finish(&c);
    return status;
}
