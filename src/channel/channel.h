/*
 * The inside of a channel. See <dtx/channel.h> for the idea.
 */
#ifndef DTX_CHANNEL_CHANNEL_H
#define DTX_CHANNEL_CHANNEL_H

#include <dtx/channel.h>

#include "engine/memory.h"
#include "util/names.h"

struct dtx_channel {
    struct engine_memory memory;
    struct dtx_device *device;
    const struct dtx_plan *plan;
    struct dtx_names names[2]; /* of the tensors, at each end */
    bool is_begun;             /* a run has, and its outcome wasn't told yet */
    /* A failure to bind since the last run. */
    enum dtx_status status;
    struct dtx_error error;
    /* Of one that was met: what the plan was made of. */
    struct dtx_plan *own_plan;
    struct dtx_layout *layouts[2];
    struct dtx_catalog *catalog;
};

/*
 * Prepares a channel for its plan, which is set, or says why there is none.
 * Collective, settled. On failure the channel is closed.
 *
 * status, err  of what came before on this process
 */
enum dtx_status channel_prepare(struct dtx_channel *channel,
                                struct dtx_transport *transport,
                                enum dtx_status status, struct dtx_error *err);

#endif
