/*
 * Running a plan between shards in memory, again and again.
 *
 * The steps are those of the pipeline, built once; messages, buffers and all
 * else that a run needs are kept from run to run, so that a run plans nothing
 * and allocates nothing. It is driven by whoever waits for it, on one thread.
 *
 * What a message means goes right from an array to the message and from the
 * message to an array. A message that is one dense piece of an array isn't
 * copied at all, and what a process keeps goes from array to array.
 *
 * A process that fails goes on with empty messages, as in the pipeline; the
 * agreement at the end makes the failure everyone's.
 */
#ifndef DTX_ENGINE_MEMORY_H
#define DTX_ENGINE_MEMORY_H

#include "engine/engine.h"
#include "engine/step/shards.h"

/* A slice of an array and one of another array, or a whole message, that hold
 * the same elements. */
struct memory_link {
    int slot;
    int region[2]; /* that is read, written; -1: the other end is a message */
    int slice[2];
    int message; /* of the end that is there, where the other isn't */
};

enum memory_phase {
    MEMORY_IDLE,       /* no run is under way */
    MEMORY_MOVING,     /* steps are */
    MEMORY_CONSENTING, /* before a collective step's exchange */
    MEMORY_AGREEING    /* on the outcome */
};

/* All that is got of the device. */
struct memory_buffers {
    char *steps[2];   /* that steps take in turn */
    char *mirrors[2]; /* of them, where they have some */
    char *stages[2];  /* of reading, of writing */
    char *store;
};

struct engine_memory {
    struct engine e;
    struct engine_shards shards;
    int64_t step_count;
    struct slot *slots; /* [step_count] */
    struct memory_buffers buffers;
    struct dtx_arena arena;
    int link_count;
    size_t link_capacity;
    struct memory_link *links;
    bool are_links_set; /* to the arrays as they are now */
    enum memory_phase phase;
    int64_t entered, finished; /* steps of the run */
    enum dtx_status status;    /* of the last run */
    struct dtx_error error;
};

/*
 * Makes all that runs take. Local.
 *
 * plan, transport, device  borrowed until engine_memory_finish()
 *
 * On failure finish it all the same.
 */
enum dtx_status engine_memory_prepare(struct engine_memory *m,
                                      const struct dtx_plan *plan,
                                      struct dtx_transport *transport,
                                      struct dtx_device *device,
                                      struct dtx_error *err);
void engine_memory_finish(struct engine_memory *m);

/*
 * Goes over from the host to another device; not while a run is under way.
 * Local. On failure all is as it was.
 *
 * device  borrowed likewise
 */
enum dtx_status engine_memory_use_device(struct engine_memory *m,
                                         struct dtx_device *device,
                                         struct dtx_error *err);

/*
 * Begins a run. Collective.
 *
 * status, err  a failure that this process has had before, which becomes
 *              everyone's; or DTX_OK
 */
void engine_memory_begin(struct engine_memory *m, enum dtx_status status,
                         const struct dtx_error *err);

/* Moves a run on without waiting; true once it is done on all processes, with
 * the outcome in m->status and m->error, alike everywhere. */
bool engine_memory_test(struct engine_memory *m);

/* The same, until it is done; waits politely. */
void engine_memory_wait(struct engine_memory *m);

#endif
