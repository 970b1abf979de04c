/*
 * Files: of one process, of a node's, and of all processes.
 */
#include "engine/calibrate/calibrate.h"

/* The least and the most that a process writes; of a node together no more
 * than NODE_BYTES, or the least of each. */
#define FIRST_BYTES ((uint64_t)CALIBRATE_BUFFER_BYTES * 2)
#define LAST_BYTES ((uint64_t)256 << 20)
#define NODE_BYTES ((uint64_t)1 << 30)

/* A call for few bytes, far enough from the last that reading ahead doesn't
 * help. */
enum { CALL_BYTES = 4096, CALL_STRIDE = 16 * CALL_BYTES };

static const double enough_seconds = 0.25;

bool
calibrate_takes_part(const struct calibration *c)
{
    switch (c->group) {
    case CALIBRATE_ALONE:
        return c->transport->process == 0;
    case CALIBRATE_NODE:
        return dtx_transport_node(c->transport, c->transport->process) == 0;
    case CALIBRATE_ALL:
        break;
    }
    return true;
}

static struct dtx_trial_range
whole(uint64_t bytes)
{
    return (struct dtx_trial_range){.piece_count =
                                        bytes / CALIBRATE_BUFFER_BYTES,
                                    .piece_bytes = CALIBRATE_BUFFER_BYTES,
                                    .stride = CALIBRATE_BUFFER_BYTES};
}

static struct dtx_trial_range
calls(uint64_t count)
{
    return (struct dtx_trial_range){
        .piece_count = count, .piece_bytes = CALL_BYTES, .stride = CALL_STRIDE};
}

/* The amounts are of buffers. */
static enum dtx_status
fill(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    const struct dtx_trial_range range = whole(amount * CALIBRATE_BUFFER_BYTES);

    return calibrate_takes_part(c)
               ? dtx_trial_fill(&c->trial, &range, c->buffers[0], err)
               : DTX_OK;
}

static enum dtx_status
read_whole(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    const struct dtx_trial_range range = whole(amount * CALIBRATE_BUFFER_BYTES);

    return calibrate_takes_part(c)
               ? dtx_trial_read(&c->trial, &range, c->buffers[1], err)
               : DTX_OK;
}

static enum dtx_status
read_calls(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    const struct dtx_trial_range range = calls(amount);

    return calibrate_takes_part(c)
               ? dtx_trial_read(&c->trial, &range, c->buffers[1], err)
               : DTX_OK;
}

static enum dtx_status
write_calls(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    const struct dtx_trial_range range = calls(amount);

    return calibrate_takes_part(c)
               ? dtx_trial_write(&c->trial, &range, c->buffers[0], err)
               : DTX_OK;
}

static enum dtx_status
make_files(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    return calibrate_takes_part(c)
               ? dtx_trial_make_files(&c->trial, amount, err)
               : DTX_OK;
}

static enum dtx_status
make_datasets(struct calibration *c, uint64_t amount, struct dtx_error *err)
{
    return calibrate_takes_part(c)
               ? dtx_trial_make_datasets(&c->trial, amount, err)
               : DTX_OK;
}

static void
forget(struct calibration *c)
{
    if (calibrate_takes_part(c) && !c->options->is_cached) {
        dtx_trial_forget(&c->trial);
    }
}

/* The rates of all of a group together. */
static enum dtx_status
measure_rates(struct calibration *c, enum calibrate_group group,
              int process_count, double *read_out, double *write_out,
              struct dtx_error *err)
{
    int per_node = group == CALIBRATE_ALONE ? 1 : c->places.largest;
    uint64_t last = NODE_BYTES / (uint64_t)per_node;
    struct calibrate_work work = {
        fill, NULL, FIRST_BYTES / CALIBRATE_BUFFER_BYTES, 0, enough_seconds};
    double seconds;
    uint64_t amount;
    enum dtx_status status;

    last = last > LAST_BYTES ? LAST_BYTES : last;
    last = last < FIRST_BYTES ? FIRST_BYTES : last;
    work.last = last / CALIBRATE_BUFFER_BYTES;
    c->group = group;
    status = calibrate_time(c, &work, &seconds, &amount, err);
    if (status != DTX_OK) {
        return status;
    }
    *write_out = process_count * (double)CALIBRATE_BUFFER_BYTES / seconds;
    c->file_bytes = amount * CALIBRATE_BUFFER_BYTES;
    work = (struct calibrate_work){read_whole, forget, amount, amount, 0};
    status = calibrate_time(c, &work, &seconds, NULL, err);
    if (status == DTX_OK) {
        *read_out = process_count * (double)CALIBRATE_BUFFER_BYTES / seconds;
    }
    return status;
}

/* Of one process, whose file is filled. */
static enum dtx_status
measure_calls(struct calibration *c, struct dtx_error *err)
{
    uint64_t last = c->file_bytes / CALL_STRIDE;
    const struct calibrate_work reading = {read_calls, forget, 64, last, 0.1};
    const struct calibrate_work writing = {write_calls, NULL, 64, last, 0.1};
    const struct calibrate_work making = {make_files, NULL, 4, 1 << 10, 0.1};
    const struct calibrate_work setting = {make_datasets, NULL, 64, 1 << 12,
                                           0.1};
    double seconds;
    enum dtx_status status = calibrate_time(c, &reading, &seconds, NULL, err);

    if (status == DTX_OK) {
        c->machine.read_request_seconds = seconds;
        status = calibrate_time(c, &writing, &seconds, NULL, err);
    }
    if (status == DTX_OK) {
        c->machine.write_request_seconds = seconds;
        status = calibrate_time(c, &making, &seconds, NULL, err);
    }
    if (status == DTX_OK) {
        c->machine.file_seconds = seconds;
        status = calibrate_time(c, &setting, &seconds, NULL, err);
    }
    if (status == DTX_OK) {
        c->machine.dataset_seconds = seconds;
    }
    return status;
}

static int
count_node_0(const struct dtx_transport *transport)
{
    int count = 0;

    for (int p = 0; p < transport->process_count; p++) {
        count += dtx_transport_node(transport, p) == 0;
    }
    return count;
}

enum dtx_status
calibrate_storage(struct calibration *c, struct dtx_error *err)
{
    struct dtx_machine *m = &c->machine;
    int near_count = count_node_0(c->transport);
    enum dtx_status status = measure_rates(c, CALIBRATE_ALONE, 1, &m->read_rate,
                                           &m->write_rate, err);

    if (status == DTX_OK) {
        status = measure_calls(c, err);
    }
    if (status == DTX_OK && near_count > 1) {
        status = measure_rates(c, CALIBRATE_NODE, near_count,
                               &m->read_rate_node, &m->write_rate_node, err);
    }
    if (status == DTX_OK && c->places.node_count > 1) {
        if (near_count == 1) { /* alone it was the node */
            m->read_rate_node = m->read_rate;
            m->write_rate_node = m->write_rate;
        }
        status = measure_rates(c, CALIBRATE_ALL, c->transport->process_count,
                               &m->read_rate_total, &m->write_rate_total, err);
    }
    return status;
}
