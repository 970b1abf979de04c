/*
 * Datasets in files, by the position whose shard they have; shards.h is the
 * same in memory.
 */
#ifndef DTX_ENGINE_STEP_POSITIONS_H
#define DTX_ENGINE_STEP_POSITIONS_H

#include "engine/engine.h"

/* The dataset in the catalog that a position of the source has. */
enum dtx_status engine_find_position(const struct engine *e, int tensor,
                                     int position, int *dataset_out,
                                     struct dtx_error *err);

/* Writes a dense box of a position's target dataset. scratch is reset. */
enum dtx_status engine_write_position(struct engine *e, int tensor,
                                      int position, const int64_t *lo,
                                      const int64_t *len, const void *buffer,
                                      struct dtx_arena *scratch,
                                      struct dtx_error *err);

#endif
