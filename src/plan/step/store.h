/*
 * Stores: what a process keeps of a tensor in memory between two rounds.
 *
 * Of each shard that the process has on the side where the rounds meet, the
 * part that is under way is kept as a dense box in the shard's own indices,
 * in the type in which the tensor travels; the boxes stand one after another
 * in the order of the process's shards.
 */
#ifndef DTX_PLAN_STEP_STORE_H
#define DTX_PLAN_STEP_STORE_H

#include <stdint.h>

#include "plan/class/class.h"

/*
 * The box of a shard that falls into a part of the tensor.
 *
 * part_counts, part  [ndim] the tensor's global indices are cut into so many
 *                    nearly equal parts per dim; which of them is meant
 * lo_out, len_out    [ndim] in the shard's indices
 */
void dtx_store_box(const struct dtx_side *side, int shard,
                   const int64_t *part_counts, const int64_t *part,
                   int64_t *lo_out, int64_t *len_out);

/* Bytes of all boxes of a process. */
uint64_t dtx_store_bytes(const struct dtx_side *side, int process,
                         const int64_t *part_counts, const int64_t *part,
                         size_t element_bytes);

/* A walk over the boxes that a process keeps of a part, which are offset bytes
 * into its store. */
struct dtx_store_walk {
    const struct dtx_side *side;
    int use, end; /* of the process: the next one, and behind the last */
    const int64_t *part_counts, *part;
    size_t element_bytes;
    size_t offset; /* of the next one's box */
};
void dtx_store_walk_begin(struct dtx_store_walk *walk,
                          const struct dtx_side *side, int process,
                          const int64_t *part_counts, const int64_t *part,
                          size_t element_bytes, size_t offset);

/* Moves on to a shard, whose box lo_out and len_out tell, as above. The shards
 * come in ascending order. */
void dtx_store_walk_find(struct dtx_store_walk *walk, int shard,
                         int64_t *lo_out, int64_t *len_out);

#endif
