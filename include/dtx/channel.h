/*
 * Channels: tensors from the memory of processes into that of others, whatever
 * the layouts at both ends, again and again.
 *
 * A channel is a plan that stands between the processes of a transport: from a
 * trainer's ranks to a server's, say. Opening it is where all planning and
 * allocating happens. Then each run moves what is in the source's arrays now
 * into the target's, exactly what is lacking there: what a process has already
 * stays, small tensors share messages, and elements change their dtypes on the
 * way.
 *
 * Both ends are sure to mean the same before the first byte moves, and where
 * any process fails, the run fails on all of them, with one message; what is
 * in the target's arrays then is undefined.
 *
 * Functions are local unless they say that they are collective.
 */
#ifndef DTX_CHANNEL_H
#define DTX_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/catalog.h>
#include <dtx/diagnostic.h>
#include <dtx/dtype.h>
#include <dtx/layout.h>
#include <dtx/plan.h>
#include <dtx/status.h>
#include <dtx/store.h>
#include <dtx/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dtx_channel;

/* Where an array is. */
enum dtx_place {
    DTX_PLACE_HOST,
    DTX_PLACE_CUDA /* the memory of a CUDA device */
};

/* One rank's shard of one tensor. */
struct dtx_array {
    const char *tensor; /* its name on this end of the plan */
    int64_t rank;       /* of this end's mesh */
    enum dtx_dtype dtype;
    int ndim;
    const int64_t *shape;   /* [ndim] of the shard, padding included */
    const int64_t *strides; /* [ndim] elements, >= 0; NULL: dense, row-major */
    enum dtx_place place;
    void *data; /* the first element; NULL only of an empty shard. Of a source
                   only read. */
};

/* `= {0}` is a good choice. Of AUTO and 0 at one end, what the other says
 * counts. */
struct dtx_channel_options {
    enum dtx_strategy strategy; /* not DIRECT */
    enum dtx_carrier transport;
    uint64_t buffer_bytes; /* most memory for messages per process; 0: 96 MiB */
    const struct dtx_machine *machine; /* for AUTO; of process 0; may be NULL */
};

/*
 * What a process brings to a channel: a part of the source, of the target, or
 * of both. All that bring one end bring the same.
 */
struct dtx_offer {
    const struct dtx_layout *source; /* NULL: it sends nothing */
    /* The source's tensors; with source. */
    const struct dtx_catalog *catalog;
    /* [positions of the source] the process that hosts each; NULL: those that
     * offer it host neighbouring ones */
    const int *source_map;
    const struct dtx_layout *target; /* NULL: it receives nothing */
    const int *target_map;
    /* What the target's tensors must be: the same names, shapes and dtypes.
     * NULL: whatever comes. */
    const struct dtx_catalog *expected;
};

/*
 * Opens a channel for a plan that all processes have. Collective.
 *
 * plan         of layouts in memory, for as many processes as the transport
 *              has; borrowed until the channel is closed. NULL where this
 *              process has failed to make it: then err says why, and the
 *              failure becomes everyone's
 * transport    borrowed likewise; one run at a time
 * channel_out  set on success only; owned by the caller
 *
 * Fails with DTX_ERR_INVALID where the processes' plans or versions differ, or
 * the plan is for files or another number of processes, with DTX_ERR_LIMIT when
 * out of memory, and with DTX_ERR_COMM.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_channel_open(const struct dtx_plan *plan, struct dtx_transport *transport,
                 struct dtx_channel **channel_out, struct dtx_error *err);

/*
 * Opens a channel between processes that know their own end only: layouts and
 * tensors are told to the others, and all make the same plan of them.
 * Collective.
 *
 * offer    NULL where this process has failed to make it, as above. Layouts
 *          are of memory; all of it is borrowed for the call only
 * options  NULL: `= {0}`
 * list     receives the mistakes and warnings of the other end's layout, and
 *          of both together
 *
 * Fails with DTX_ERR_INVALID where the ends don't fit: different versions, or
 * different offers of one end, nobody at one end, tensors that aren't what is
 * expected, layouts that don't fit; on all processes with the same message.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_channel_meet(const struct dtx_offer *offer, struct dtx_transport *transport,
                 const struct dtx_channel_options *options,
                 struct dtx_diagnostics *list, struct dtx_channel **channel_out,
                 struct dtx_error *err);

/* Frees a channel. Local, but where a run is under way it waits for it, and is
 * collective. NULL is fine. */
DTX_API void dtx_channel_close(struct dtx_channel *channel);

/* The plan, for its queries: shapes of shards, transfers, totals. Borrowed
 * until the channel is closed. Local. */
DTX_API const struct dtx_plan *
dtx_channel_plan(const struct dtx_channel *channel);

/*
 * Says where a shard is, in place of what was said before. Local; not while a
 * run is under way.
 *
 * role   DTX_SOURCE or DTX_TARGET
 * array  its data is borrowed until another array takes its place, or the
 *        channel is closed; the rest is copied. Arrays of the target share no
 *        element with each other or the source's
 *
 * Arrays on a CUDA device have the process's messages there, too: the first one
 * takes the channel there, and all of a process are on one device; others may
 * be on the host. What a program's own streams do with an array must be done
 * when a run begins; once a run is done, nothing of dtx's is under way.
 *
 * Fails with DTX_ERR_INVALID where the plan has no such shard on this process,
 * or another shape or dtype, and with DTX_ERR_DEVICE for arrays that aren't on
 * the device they are said to be on, or on another one than the others. A
 * failure is also the next run's, on all processes: who ignores it here gets it
 * there.
 */
DTX_API enum dtx_status dtx_channel_bind(struct dtx_channel *channel,
                                         enum dtx_role role,
                                         const struct dtx_array *array,
                                         struct dtx_error *err);

/* The store of all shards of one end that are no arrays. Copied; its context
 * is borrowed until the channel is closed. Local; not while a run is under
 * way. */
DTX_API void dtx_channel_use_store(struct dtx_channel *channel,
                                   enum dtx_role role,
                                   const struct dtx_store *store);

/*
 * Begins a run. Collective, as are all calls that follow it until it is done;
 * they move messages on, so that who never calls them hears nothing.
 *
 * Fails with DTX_ERR_INVALID where a run of this channel, or of another one of
 * the same transport, is under way. All other failures come at the end, also
 * that of a shard without array or store.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_channel_begin(struct dtx_channel *channel, struct dtx_error *err);

/*
 * Moves a run on without waiting. Collective: see dtx_channel_begin().
 *
 * done_out  whether it is done on all processes: arrays of the source may be
 *           changed, those of the target are complete. Returns the outcome
 *           then, DTX_OK before; with no run under way, that of the last one.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_channel_test(struct dtx_channel *channel, bool *done_out,
                 struct dtx_error *err);

/* Waits until a run is done, politely. Collective. Returns the outcome; with
 * no run under way, that of the last one. */
DTX_API DTX_NODISCARD enum dtx_status
dtx_channel_wait(struct dtx_channel *channel, struct dtx_error *err);

/*
 * Begins a run and waits for it. Plans and allocates nothing. Collective.
 *
 * Fails with DTX_ERR_INVALID where a shard has neither array nor store, or as
 * dtx_channel_bind() failed; with what a store's call returned; with
 * DTX_ERR_SOURCE where an integer has no place in the target's dtype or a sum
 * of them overflows; with DTX_ERR_COMM or DTX_ERR_DEVICE. On all processes
 * alike.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_channel_run(struct dtx_channel *channel, struct dtx_error *err);

/* ---------------------------------------------------------------- at once */

/*
 * Moves tensors once, by a plan that all processes have. Collective. What
 * source and target have in common is up to the plan's maps.
 *
 * sources, targets  [source_count], [target_count] this process's shards;
 *                   their data is borrowed for the call
 *
 * Fails as dtx_channel_open(), dtx_channel_bind() and dtx_channel_run() do.
 */
DTX_API DTX_NODISCARD enum dtx_status dtx_reshard_in_memory(
    const struct dtx_plan *plan, struct dtx_transport *transport,
    const struct dtx_array *sources, int source_count,
    const struct dtx_array *targets, int target_count, struct dtx_error *err);

/*
 * The two halves of moving tensors once: some processes of a transport send,
 * all others receive. Collective together.
 *
 * layout   this process's end
 * catalog  the tensors that are sent
 * arrays   [array_count] this process's shards; their data is borrowed for the
 *          call
 * options  NULL: `= {0}`
 * list     as of dtx_channel_meet()
 *
 * Fail as dtx_channel_meet(), dtx_channel_bind() and dtx_channel_run() do.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_send(struct dtx_transport *transport, const struct dtx_layout *layout,
         const struct dtx_catalog *catalog, const struct dtx_array *arrays,
         int array_count, const struct dtx_channel_options *options,
         struct dtx_diagnostics *list, struct dtx_error *err);
DTX_API DTX_NODISCARD enum dtx_status
dtx_recv(struct dtx_transport *transport, const struct dtx_layout *layout,
         const struct dtx_array *arrays, int array_count,
         const struct dtx_channel_options *options,
         struct dtx_diagnostics *list, struct dtx_error *err);

#ifdef __cplusplus
}
#endif
#endif
