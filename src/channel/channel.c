#include "channel/channel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <dtx/version.h>

#include "util/alloc.h"
#include "util/error.h"

/* ---------------------------------------------------------------- opening */

enum { VERSION_BYTES = 32 };

/* What all processes must have alike. */
struct mark {
    char version[VERSION_BYTES];
    uint64_t fingerprint;
};

/* Compares everyone's marks; alike on all processes. Collective. */
static enum dtx_status
compare_marks(const struct dtx_plan *plan, struct dtx_transport *transport,
              struct dtx_error *err)
{
    struct mark own = {.fingerprint = dtx_plan_fingerprint(plan)};
    struct mark first, other;
    char *all = NULL;
    enum dtx_status status;
    int i;

    snprintf(own.version, sizeof own.version, "%s", dtx_version());
    status =
        transport->ops->gather(transport, &own, sizeof own, NULL, &all, err);
    for (i = 0; i < transport->process_count && status == DTX_OK; i++) {
        memcpy(&first, all, sizeof first);
        memcpy(&other, all + (size_t)i * sizeof other, sizeof other);
        if (memcmp(first.version, other.version, sizeof first.version) != 0) {
            status = dtx_error_set(err, DTX_ERR_INVALID,
                                   "process %d has dtx %s, process 0 has %s", i,
                                   other.version, first.version);
        } else if (first.fingerprint != other.fingerprint) {
            status = dtx_error_set(err, DTX_ERR_INVALID,
                                   "the plan of process %d isn't that of "
                                   "process 0: other layouts, tensors, maps or "
                                   "options",
                                   i);
        }
    }
    dtx_free(all);
    return status;
}

static enum dtx_status
check_plan(const struct dtx_plan *plan, const struct dtx_transport *transport,
           struct dtx_error *err)
{
    if (!plan->is_memory) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "the plan is for files, not for tensors in "
                             "memory");
    }
    if (plan->options.process_count != transport->process_count) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "the plan is for %d processes, the transport has "
                             "%d",
                             plan->options.process_count,
                             transport->process_count);
    }
    return DTX_OK;
}

/* Numbers the tensors by name, as the plan does. */
static int
number_names(struct dtx_channel *channel)
{
    const struct dtx_plan *plan = channel->plan;
    int i;

    for (i = 0; i < plan->tensor_count; i++) {
        if (dtx_names_add(&channel->names[DTX_SOURCE],
                          plan->tensors[i].src_name) != i ||
            dtx_names_add(&channel->names[DTX_TARGET],
                          plan->tensors[i].dst_name) != i) {
            return -1;
        }
    }
    return 0;
}

static enum dtx_status
make_ready(struct dtx_channel *channel, struct dtx_transport *transport,
           struct dtx_error *err)
{
    enum dtx_status status = dtx_host_device_create(&channel->device, err);

    if (status == DTX_OK && number_names(channel) != 0) {
        status = dtx_error_memory(err);
    }
    return status == DTX_OK
               ? engine_memory_prepare(&channel->memory, channel->plan,
                                       transport, channel->device, err)
               : status;
}

enum dtx_status
channel_prepare(struct dtx_channel *channel, struct dtx_transport *transport,
                enum dtx_status status, struct dtx_error *err)
{
    if (status == DTX_OK) {
        status = check_plan(channel->plan, transport, err);
    }
    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = compare_marks(channel->plan, transport, err);
    }
    if (status == DTX_OK) {
        status = dtx_transport_settle(transport,
                                      make_ready(channel, transport, err), err);
    }
    if (status != DTX_OK) {
        dtx_channel_close(channel);
    }
    return status;
}

enum dtx_status
dtx_channel_open(const struct dtx_plan *plan, struct dtx_transport *transport,
                 struct dtx_channel **channel_out, struct dtx_error *err)
{
    struct dtx_channel *channel = dtx_alloc(1, sizeof *channel);
    enum dtx_status status = DTX_OK;

    if (channel == NULL) {
        return dtx_transport_settle(transport, dtx_error_memory(err), err);
    }
    channel->plan = plan;
    if (plan == NULL) {
        status = err->status != DTX_OK ? err->status : DTX_ERR_INVALID;
    }
    status = channel_prepare(channel, transport, status, err);
    if (status == DTX_OK) {
        *channel_out = channel;
    }
    return status;
}

/* Lets other channels use the transport, if it was this one's run. */
static void
end_run(struct dtx_channel *channel)
{
    if (channel->is_begun) {
        channel->memory.e.transport->is_busy = false;
        channel->is_begun = false;
    }
}

void
dtx_channel_close(struct dtx_channel *channel)
{
    if (channel == NULL) {
        return;
    }
    if (channel->is_begun) {
        engine_memory_wait(&channel->memory);
        end_run(channel);
    }
    engine_memory_finish(&channel->memory);
    if (channel->device != NULL) {
        channel->device->ops->destroy(channel->device);
    }
    dtx_names_finish(&channel->names[DTX_SOURCE]);
    dtx_names_finish(&channel->names[DTX_TARGET]);
    dtx_plan_destroy(channel->own_plan);
    dtx_catalog_destroy(channel->catalog);
    dtx_layout_destroy(channel->layouts[DTX_SOURCE]);
    dtx_layout_destroy(channel->layouts[DTX_TARGET]);
    dtx_free(channel);
}

const struct dtx_plan *
dtx_channel_plan(const struct dtx_channel *channel)
{
    return channel->plan;
}

/* ---------------------------------------------------------------- running */

enum dtx_status
dtx_channel_begin(struct dtx_channel *channel, struct dtx_error *err)
{
    struct dtx_transport *transport = channel->memory.e.transport;

    if (transport->is_busy) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "a run is under way on the same transport");
    }
    transport->is_busy = channel->is_begun = true;
    engine_memory_begin(&channel->memory, channel->status, &channel->error);
    channel->status = DTX_OK;
    return DTX_OK;
}

/* The outcome of a run that is done. */
static enum dtx_status
outcome(struct dtx_channel *channel, struct dtx_error *err)
{
    end_run(channel);
    if (channel->memory.status != DTX_OK) {
        *err = channel->memory.error;
    }
    return channel->memory.status;
}

enum dtx_status
dtx_channel_test(struct dtx_channel *channel, bool *done_out,
                 struct dtx_error *err)
{
    *done_out = engine_memory_test(&channel->memory);
    return *done_out ? outcome(channel, err) : DTX_OK;
}

enum dtx_status
dtx_channel_wait(struct dtx_channel *channel, struct dtx_error *err)
{
    engine_memory_wait(&channel->memory);
    return outcome(channel, err);
}

enum dtx_status
dtx_channel_run(struct dtx_channel *channel, struct dtx_error *err)
{
    enum dtx_status status = dtx_channel_begin(channel, err);

    return status == DTX_OK ? dtx_channel_wait(channel, err) : status;
}
