/*
 * Shards of a tensor, rank by rank, for people to look at.
 */
#ifndef DTX_PLAN_CLASS_SHARDS_H
#define DTX_PLAN_CLASS_SHARDS_H

#include "plan/plan.h"

/* A tensor on one side. */
struct dtx_shards {
    const struct dtx_layout *layout;
    const struct dtx_catalog *catalog; /* of a source; NULL: a target */
    const struct dtx_side *side;
    const char *name; /* global */
    struct dtx_type type;
    const int64_t *shape; /* logical */
};

/* Visits the shards in the order of the positions. See <dtx/plan.h>. */
enum dtx_status dtx_each_shard(const struct dtx_shards *shards,
                               dtx_shard_visit *visit, void *context,
                               struct dtx_error *err);

#endif
