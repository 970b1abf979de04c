/*
 * The engine: runs a finished schedule and decides nothing.
 *
 * A step passes through a slot: its receives are posted, a reader thread reads
 * the source's regions and packs them into messages, the calling thread sends
 * and receives, and a writer thread unpacks and writes the target's regions.
 * Two slots let a step be read while the one before it travels and is written,
 * and all agree on the one after them meanwhile: it is in a third, laid out
 * but without a buffer, so that nothing of it can fail once all have agreed.
 * A step that takes up what the one before it has kept in memory waits for it.
 *
 * A process that fails goes on to send what its peers wait for, empty
 * ("poisoned"), until all have agreed on the failure and leave at the same
 * step. Only the calling thread talks to the transport.
 */
#ifndef DTX_ENGINE_ENGINE_H
#define DTX_ENGINE_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/reshard.h>

#include "device/device.h"
#include "engine/failure.h"
#include "engine/step/digest.h"
#include "engine/step/worker.h"
#include "plan/bind/target_files.h"
#include "plan/plan.h"
#include "plan/step/step.h"
#include "storage/storage.h"
#include "transport/transport.h"

/* What goes through a buffer as it is does so in pieces that the caches hold,
 * since a digest is summed between. */
enum { ENGINE_PIECE_BYTES = 1 << 18 };

enum { ENGINE_SLOTS = 3 };

/* A message on its way: in its slot's buffer, or where it comes from or goes
 * to in memory. */
struct slot_message {
    size_t offset; /* bytes in the buffer */
    char *place;   /* its first byte */
    char *wire;    /* the same for the transport: there, or in the mirror */
    int request;   /* of the transport; -1: done, or to itself */
};

/* One step under way. */
struct slot {
    struct engine *engine;
    struct dtx_step step;
    bool is_used;       /* a step is in it and not all done */
    bool is_sending;    /* its messages are posted, as far as may be */
    bool is_writing;    /* handed to the writer */
    bool is_exchanging; /* by a collective */
    char *buffer;       /* messages out, then messages in */
    char *mirror;       /* [capacity] what the transport sends and receives
                           instead, in near memory; NULL: the buffer */
    size_t capacity;
    size_t bytes;               /* of these, what the step's messages take */
    struct slot_message *sends; /* [step.send_count] */
    struct slot_message *receives;
    size_t message_capacity[2]; /* of sends, receives */
    int tag;                    /* no other step under way has the same */
    int sends_left, receives_left;
    int sends_posted, receives_posted; /* the first ones, self among them */
    int sends_open, receives_open;     /* posted and not done */
    atomic_bool is_read;               /* by the reader thread */
    atomic_bool is_written;            /* by the writer thread */
    /* Of regions that are read, and written; in the step's arena, or NULL.
     * [step.read_count], [step.write_count] */
    struct straight *straight[2];
    /* Slices that need no copy to or from a message, since what they mean goes
     * from one array to the other, or is the message itself; NULL: none.
     * [slices that are read], [slices that are written] */
    bool *is_linked[2];
    int link_first, link_count; /* memory.h's */
};

/* How much of the target is safe; alike on all processes unless said. */
struct engine_safety {
    bool is_resumed;    /* an earlier run left something that is */
    bool is_committing; /* all is, and files are being put in place */
    bool is_forced;     /* an old target is to be replaced */
    int tensors;        /* so many first ones are durable */
    uint64_t *sums;     /* of process 0, of a resumed run: those tensors' sums,
                           [DIGEST_KIND_COUNT * tensors] tensor by tensor */
    uint64_t at_ns;     /* when that was last made so, here */
    uint64_t written;   /* what this process had written by then, in bytes */
    uint64_t limit;     /* of what it may write until the next time */
};

/* What a thread has on a device whose memory is apart; see apart.h. */
struct engine_lane {
    char *stage; /* [stage_bytes] counterpart of the thread's stage */
    char *converted;
    struct dtx_device_outcome *outcomes; /* near */
    int turn;
};

struct engine_shards;

struct engine {
    const struct dtx_plan *plan;
    struct dtx_transport *transport;
    struct dtx_storage *storage;  /* NULL where both ends are in memory */
    struct engine_shards *shards; /* which are these; else NULL */
    struct dtx_device *device;
    bool sends_from_device; /* the transport takes messages where they are */
    struct dtx_target_files *files;
    struct dtx_step_builder builder;
    struct slot slots[ENGINE_SLOTS]; /* two under way, and the next one */
    char *buffers[2], *mirrors[2];   /* of the slots under way */
    bool is_agreeing;                /* on what comes next, or has */
    bool has_agreed;
    int64_t verdict;
    struct dtx_worker reader, writer;
    char *read_stage; /* [stage_bytes], the reader's own */
    char *write_stage;
    char *store;        /* what is kept between rounds */
    bool has_two_cores; /* the reader and the writer run at once */
    struct engine_lane lanes[DTX_LANE_COUNT];
    size_t *exchange_numbers; /* [4 * processes]; NULL: no exchanges */
    struct dtx_arena read_scratch, write_scratch;
    const struct dtx_reshard_options *options;
    struct digests digests;
    struct engine_safety safety;
    struct engine_failure failure;
    struct dtx_reshard_summary done;                   /* this process's own */
    struct dtx_conversion_error read_loss, write_loss; /* each thread's own */
    atomic_uint_fast64_t read_ns, write_ns;
    uint64_t wait_ns;
};

/* The process that keeps the target's journal and manifest: the lowest that
 * may write. */
static inline int
engine_leader(const struct engine *e)
{
    return e->plan->dst_procs.processes[0];
}

static inline bool
engine_leads(const struct engine *e)
{
    return e->transport->process == engine_leader(e);
}

#endif
