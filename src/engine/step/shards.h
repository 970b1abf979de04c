/*
 * Shards in memory: what a process has of the tensors at either end of a plan
 * whose layouts are of memory.
 *
 * A shard is an array of the program, of any strides, or stands behind calls
 * of the program (a store). The engine copies boxes right between arrays and
 * messages; only what is converted or reduced passes through a stage.
 */
#ifndef DTX_ENGINE_STEP_SHARDS_H
#define DTX_ENGINE_STEP_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/store.h>

#include "engine/step/apart.h"
#include "plan/plan.h"

/* `= {0}` isn't there. */
struct engine_shard {
    char *data;             /* the first element; NULL: not an array */
    const int64_t *strides; /* [ndim] bytes, >= 0 */
    bool is_apart;          /* data is in the memory of a device apart */
    bool is_needed;         /* the plan reads or writes it */
    bool is_filled; /* it has something that no transfer brings; target only */
};

/* One end of the plan, on one process. */
struct engine_end {
    int local_count;             /* positions that the process hosts */
    int *locals;                 /* [positions] their number, or -1 */
    int *positions;              /* [local_count] */
    struct engine_shard *shards; /* [tensors * local_count] */
    int64_t *strides;            /* [tensors * local_count * dims] theirs */
    struct dtx_store store;      /* for what isn't an array, where it can */
};

struct engine_shards {
    struct dtx_arena arena;
    const struct dtx_plan *plan;
    int process;
    int most_dims;             /* of a tensor */
    int fill_count;            /* shards that are filled */
    struct engine_end ends[2]; /* DTX_SOURCE, DTX_TARGET */
};

/* Makes room for all shards of a process, as yet without arrays. Local. */
enum dtx_status engine_shards_init(struct engine_shards *shards,
                                   const struct dtx_plan *plan, int process,
                                   struct dtx_error *err);
void engine_shards_finish(struct engine_shards *shards);

/* The shard of a position that the process hosts. */
static inline struct engine_shard *
engine_shard_of(struct engine_shards *shards, enum dtx_role role, int tensor,
                int position)
{
    struct engine_end *end = &shards->ends[role];

    return &end->shards[(size_t)tensor * (size_t)end->local_count +
                        (size_t)end->locals[position]];
}

/* True for an array that the device reads and writes. */
static inline bool
engine_shard_is_direct(const struct engine *e, const struct engine_shard *shard)
{
    return shard->data != NULL && shard->is_apart == engine_is_apart(e);
}

/* Where strides of a shard are kept. [most_dims] */
int64_t *engine_shard_strides(struct engine_shards *shards, enum dtx_role role,
                              int tensor, int position);

/* DTX_ERR_INVALID, with name and rank, where a shard that is needed is neither
 * an array nor behind a store. */
enum dtx_status engine_shards_check(const struct engine_shards *shards,
                                    const struct dtx_transport *transport,
                                    struct dtx_error *err);

/* Copies a box of a shard to a dense buffer of the host, and back. lo, len
 * [ndim]. What is read isn't in a device's memory. */
enum dtx_status engine_shard_read(struct engine *e, int tensor, int position,
                                  const int64_t *lo, const int64_t *len,
                                  void *buffer, struct dtx_error *err);
enum dtx_status engine_shard_write(struct engine *e, int tensor, int position,
                                   const int64_t *lo, const int64_t *len,
                                   const void *buffer, struct dtx_error *err);

/*
 * Fills what no transfer brings of the target's shards: padding, and the
 * neutral elements of what is pending there. stage is overwritten.
 */
enum dtx_status engine_shards_fill(struct engine *e, struct dtx_error *err);

#endif
