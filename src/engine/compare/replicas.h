/*
 * Replicas of the source, held against each other before anything moves.
 *
 * Ranks that hold the same shard in datasets of their own should hold the same
 * bits. The lowest rank's is what is read; the others are compared with it,
 * whole or at samples: the ends and some places between. The shards are dealt
 * out to the processes in turn.
 */
#ifndef DTX_ENGINE_COMPARE_REPLICAS_H
#define DTX_ENGINE_COMPARE_REPLICAS_H

#include "engine/engine.h"

/*
 * Compares as e->options->check_replicas says. Collective and settled.
 *
 * Fails with DTX_ERR_SOURCE where replicas differ; the error names the tensor,
 * the ranks, how many elements differ and by how much at most.
 */
enum dtx_status engine_check_replicas(struct engine *e, struct dtx_error *err);

#endif
