/*
 * Channels that serve once.
 */
#include "channel/channel.h"

/* Binds arrays; the first failure stays with the channel, for its run. */
static void
bind_all(struct dtx_channel *channel, enum dtx_role role,
         const struct dtx_array *arrays, int count)
{
    struct dtx_error err;
    int i;

    for (i = 0; i < count; i++) {
        (void)dtx_channel_bind(channel, role, &arrays[i], &err);
    }
}

enum dtx_status
dtx_reshard_in_memory(const struct dtx_plan *plan,
                      struct dtx_transport *transport,
                      const struct dtx_array *sources, int source_count,
                      const struct dtx_array *targets, int target_count,
                      struct dtx_error *err)
{
    struct dtx_channel *channel = NULL;
    enum dtx_status status = dtx_channel_open(plan, transport, &channel, err);

    if (status == DTX_OK) {
        bind_all(channel, DTX_SOURCE, sources, source_count);
        bind_all(channel, DTX_TARGET, targets, target_count);
        status = dtx_channel_run(channel, err);
    }
    dtx_channel_close(channel);
    return status;
}

/* Meets the others, moves once, and leaves. */
static enum dtx_status
meet_once(const struct dtx_offer *offer, struct dtx_transport *transport,
          const struct dtx_array *arrays, int count,
          const struct dtx_channel_options *options,
          struct dtx_diagnostics *list, struct dtx_error *err)
{
    struct dtx_channel *channel = NULL;
    enum dtx_status status =
        dtx_channel_meet(offer, transport, options, list, &channel, err);

    if (status == DTX_OK) {
        bind_all(channel, offer->source != NULL ? DTX_SOURCE : DTX_TARGET,
                 arrays, count);
        status = dtx_channel_run(channel, err);
    }
    dtx_channel_close(channel);
    return status;
}

enum dtx_status
dtx_send(struct dtx_transport *transport, const struct dtx_layout *layout,
         const struct dtx_catalog *catalog, const struct dtx_array *arrays,
         int array_count, const struct dtx_channel_options *options,
         struct dtx_diagnostics *list, struct dtx_error *err)
{
    struct dtx_offer offer = {.source = layout, .catalog = catalog};

    return meet_once(&offer, transport, arrays, array_count, options, list,
                     err);
}

enum dtx_status
dtx_recv(struct dtx_transport *transport, const struct dtx_layout *layout,
         const struct dtx_array *arrays, int array_count,
         const struct dtx_channel_options *options,
         struct dtx_diagnostics *list, struct dtx_error *err)
{
    struct dtx_offer offer = {.target = layout};

    return meet_once(&offer, transport, arrays, array_count, options, list,
                     err);
}
