/*
 * Sides: who holds which shard of a tensor on one side of a plan.
 *
 * Positions that hold the same indices (and, of a pending reduction, the same
 * term) hold the same shard: they are replicas. A shard's number is the
 * row-major number of its pieces over the dims, plus term * (number of piece
 * products); empty shards are numbered too. With the map from positions to
 * processes a side also says which processes have a shard and which shards a
 * process has, each once.
 *
 * Cost: O(positions that hold the tensor, log of them).
 */
#ifndef DTX_PLAN_CLASS_SIDE_H
#define DTX_PLAN_CLASS_SIDE_H

#include <stdint.h>

#include "layout/tiling.h"
#include "util/arena.h"

/* A process that has a shard. */
struct dtx_use {
    int process;
    int shard;
    int position; /* the lowest of its positions that hold the shard */
};

struct dtx_side {
    int number; /* among the plan's sides; of others 0 */
    const struct dtx_mesh *mesh;
    const struct dtx_tiling *tiling;
    struct dtx_presence presence;
    int product_count; /* of pieces over the dims */
    int term_count;    /* coordinates of the partial axes; 1 without */
    int shard_count;   /* product_count * term_count */
    int position_count;
    int *positions;   /* [position_count] sorted by (shard, position) */
    int *shard_first; /* [shard_count + 1] into positions */
    int use_count;
    struct dtx_use *uses; /* [use_count] sorted by (process, shard) */
    int *process_first;   /* [shard_count + 1] into processes */
    int *processes;       /* [use_count] ascending within each shard */
};

/*
 * Builds a side. processes [positions of the mesh] is the map; positions with
 * a negative process are left out. NULL when out of memory. tiling and
 * presence's arrays are borrowed.
 */
struct dtx_side *dtx_side_create(struct dtx_arena *arena,
                                 const struct dtx_mesh *mesh,
                                 const struct dtx_tiling *tiling,
                                 const struct dtx_presence *presence,
                                 const int *processes);

/*
 * Puts a side on other processes. On -1, when out of memory, it has none.
 *
 * arena      receives uses and processes, which were elsewhere before
 * processes  [positions of the mesh]
 */
int dtx_side_host(struct dtx_side *side, struct dtx_arena *arena,
                  const int *processes);

/* The shard that a position holds, whether or not it is present. */
int dtx_side_shard(const struct dtx_side *side, int position);

/* The pieces of a shard. pieces_out [ndim]. */
void dtx_side_pieces(const struct dtx_side *side, int shard, int *pieces_out);

/* The uses of one process: *first_out into uses; returns how many. */
int dtx_side_uses(const struct dtx_side *side, int process, int *first_out);

/*
 * The uses of ascending processes one after another, in O(uses) for all of
 * them. `= {0}` begins.
 */
struct dtx_use_range {
    int first, count;
};
void dtx_side_advance(const struct dtx_side *side, int process,
                      struct dtx_use_range *range);

/* The process's use of a shard, or NULL where it doesn't have it. */
const struct dtx_use *dtx_side_find_use(const struct dtx_side *side,
                                        int process, int shard);

/* True where the process has the shard. Quicker than finding its use: a shard
 * is in few processes, mostly, and they stand together. */
bool dtx_side_has(const struct dtx_side *side, int process, int shard);

/* The index of a process among those that have a shard; it has it. */
int dtx_side_process_index(const struct dtx_side *side, int shard, int process);

/* The shape of a shard without padding, which comes last in every dim.
 * shape_out [ndim]. */
void dtx_side_logical_shape(const struct dtx_side *side, int shard,
                            int64_t *shape_out);

/* The logical elements of a shard. */
int64_t dtx_side_elements(const struct dtx_side *side, int shard);

#endif
