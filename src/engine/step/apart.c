#include "engine/step/apart.h"

#include "engine/clock.h"
#include "util/error.h"

/* Halves begin at multiples of it on the device. */
enum { HALF_ALIGNMENT = 16 };

/* ---------------------------------------------------------------- opening */

enum dtx_status
engine_open_device(enum dtx_device_kind kind,
                   const struct dtx_transport *transport,
                   struct dtx_device **device_out, struct dtx_error *err)
{
    int own = transport->nodes[transport->process], place = 0, sharers = 0, p;
    enum dtx_status status;

    if (kind != DTX_DEVICE_CUDA) {
        return dtx_host_device_create(device_out, err);
    }
    for (p = 0; p < transport->process_count; p++) {
        bool is_near = transport->nodes[p] == own;

        place += is_near && p < transport->process;
        sharers += is_near;
    }
    status = dtx_cuda_device_create(place, sharers, device_out, err);
    if (status == DTX_ERR_DEVICE) {
        dtx_error_where(err, "process %d", transport->process);
    }
    return status;
}

/* ---------------------------------------------------------------- buffers */

enum dtx_status
engine_allocate(struct engine *e, bool is_near, size_t bytes, char **buffer_out,
                struct dtx_error *err)
{
    struct dtx_device *device = e->device;
    void *buffer = NULL;
    enum dtx_status status =
        is_near && engine_is_apart(e)
            ? device->apart->allocate_near(device, bytes, &buffer, err)
            : device->ops->allocate(device, bytes, &buffer, err);

    if (status == DTX_OK) {
        *buffer_out = buffer;
    }
    return status;
}

void
engine_release(struct engine *e, bool is_near, char *buffer)
{
    if (is_near && engine_is_apart(e)) {
        e->device->apart->release_near(e->device, buffer);
    } else {
        e->device->ops->release(e->device, buffer);
    }
}

/* Two outcomes for each half. */
enum { OUTCOME_COUNT = 2 * DTX_MARK_COUNT };

static enum dtx_status
prepare_lane(struct engine *e, struct engine_lane *lane, struct dtx_error *err)
{
    size_t stage = (size_t)e->plan->schedule->stage_bytes;
    char *outcomes = NULL;
    enum dtx_status status =
        engine_allocate(e, false, stage, &lane->stage, err);

    if (status == DTX_OK) {
        status = engine_allocate(e, false, stage, &lane->converted, err);
    }
    if (status == DTX_OK) {
        status = engine_allocate(
            e, true, OUTCOME_COUNT * sizeof *lane->outcomes, &outcomes, err);
        lane->outcomes = (struct dtx_device_outcome *)(void *)outcomes;
    }
    return status;
}

enum dtx_status
engine_prepare_lanes(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < DTX_LANE_COUNT && status == DTX_OK && engine_is_apart(e);
         i++) {
        status = prepare_lane(e, &e->lanes[i], err);
    }
    return status;
}

void
engine_finish_lanes(struct engine *e)
{
    int i;

    for (i = 0; i < DTX_LANE_COUNT && engine_is_apart(e); i++) {
        engine_release(e, false, e->lanes[i].stage);
        engine_release(e, false, e->lanes[i].converted);
        engine_release(e, true, (char *)e->lanes[i].outcomes);
        e->lanes[i] = (struct engine_lane){0};
    }
}

/* ---------------------------------------------------------------- halves */

size_t
engine_half_bytes(const struct engine *e, size_t element_bytes)
{
    size_t all = (size_t)e->plan->schedule->stage_bytes;
    size_t half = all / DTX_MARK_COUNT / HALF_ALIGNMENT * HALF_ALIGNMENT;

    return half >= element_bytes ? half : all;
}

enum dtx_status
engine_next_half(struct engine *e, enum dtx_lane lane_index, char *near,
                 size_t element_bytes, struct engine_half *half,
                 struct dtx_error *err)
{
    struct engine_lane *lane = &e->lanes[lane_index];
    size_t bytes = engine_half_bytes(e, element_bytes);
    bool is_all = bytes == (size_t)e->plan->schedule->stage_bytes;
    int turn = is_all ? 0 : (lane->turn + 1) % DTX_MARK_COUNT;
    size_t at = (size_t)turn * bytes;

    lane->turn = turn;
    *half =
        (struct engine_half){.mark = turn,
                             .near = near + at,
                             .stage = lane->stage + at,
                             .converted = lane->converted + at,
                             .bytes = bytes,
                             .reduced = &lane->outcomes[turn],
                             .outcome = &lane->outcomes[DTX_MARK_COUNT + turn]};
    return e->device->apart->await(e->device, lane_index, turn, err);
}

enum dtx_status
engine_put_box(struct engine *e, const struct dtx_box_copy *copy, void *array,
               const void *buffer, struct dtx_error *err)
{
    const enum dtx_lane lane = DTX_LANE_WRITE;
    char *stage = e->lanes[lane].stage;
    size_t bytes = copy->element_bytes;
    enum dtx_status status;
    int dim;

    for (dim = 0; dim < copy->ndim; dim++) {
        bytes *= (size_t)copy->len[dim];
    }
    status =
        e->device->apart->upload(e->device, lane, stage, buffer, bytes, err);
    if (status == DTX_OK) {
        status =
            e->device->ops->copy_box(e->device, lane, copy, array, stage, err);
    }
    return status == DTX_OK ? e->device->apart->finish(e->device, lane, err)
                            : status;
}

enum dtx_status
engine_fetch(struct engine *e, enum dtx_lane lane, void *near,
             const char *place, size_t bytes, struct dtx_error *err)
{
    enum dtx_status status =
        e->device->apart->download(e->device, lane, near, place, bytes, err);

    return status == DTX_OK ? e->device->apart->finish(e->device, lane, err)
                            : status;
}

/* ---------------------------------------------------------------- messages */

enum dtx_status
engine_allocate_mirror(struct engine *e, size_t bytes, char **mirror_out,
                       struct dtx_error *err)
{
    return engine_is_apart(e) && !e->sends_from_device
               ? engine_allocate(e, true, bytes, mirror_out, err)
               : DTX_OK;
}

/* Copies messages that stand one after another, in the buffer and in its
 * mirror. */
static enum dtx_status
copy_run(struct slot *slot, bool outgoing, size_t offset, size_t bytes,
         struct dtx_error *err)
{
    struct dtx_device *device = slot->engine->device;

    return outgoing ? device->apart->download(device, DTX_LANE_READ,
                                              slot->mirror + offset,
                                              slot->buffer + offset, bytes, err)
                    : device->apart->upload(device, DTX_LANE_WRITE,
                                            slot->buffer + offset,
                                            slot->mirror + offset, bytes, err);
}

/* Copies all messages of one direction but that to itself, which stays. */
static enum dtx_status
copy_messages(struct slot *slot, bool outgoing, struct dtx_error *err)
{
    const struct dtx_step *step = &slot->step;
    const struct dtx_message *list = outgoing ? step->sends : step->receives;
    const struct slot_message *places = outgoing ? slot->sends : slot->receives;
    int count = outgoing ? step->send_count : step->receive_count;
    int self = outgoing ? step->self_send : step->self_receive;
    size_t begin = 0, end = 0;
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < count && status == DTX_OK; i++) {
        if (i == self) {
            continue;
        }
        if (places[i].offset != end) {
            status = copy_run(slot, outgoing, begin, end - begin, err);
            begin = places[i].offset;
        }
        end = places[i].offset + list[i].bytes;
    }
    return status == DTX_OK ? copy_run(slot, outgoing, begin, end - begin, err)
                            : status;
}

/* Does one of the above, and counts its time. */
static void
end_lane(struct slot *slot, enum dtx_lane lane, bool copies, bool waits)
{
    struct engine *e = slot->engine;
    uint64_t begin = engine_now_ns();
    struct dtx_error err = {0};
    enum dtx_status status = DTX_OK;

    if (!engine_is_apart(e)) {
        return;
    }
    if (copies && slot->mirror != NULL && !engine_has_failed(e)) {
        status = copy_messages(slot, lane == DTX_LANE_READ, &err);
    }
    if (waits) { /* also after a failure: the buffers are the device's so far */
        struct dtx_error late = {0};
        enum dtx_status waited = dtx_device_finish(e->device, lane, &late);

        if (status == DTX_OK && waited != DTX_OK) {
            status = waited;
            err = late;
        }
    }
    if (status != DTX_OK) {
        engine_fail(e, status, &err);
    }
    atomic_fetch_add(lane == DTX_LANE_READ ? &e->read_ns : &e->write_ns,
                     engine_now_ns() - begin);
}

void
engine_end_reading(struct slot *slot)
{
    end_lane(slot, DTX_LANE_READ, true, true);
}

void
engine_begin_writing(struct slot *slot)
{
    end_lane(slot, DTX_LANE_WRITE, true, false);
}

void
engine_end_writing(struct slot *slot)
{
    end_lane(slot, DTX_LANE_WRITE, false, true);
}
