/*
 * Blame: whose mistake it is that shards don't fit together.
 *
 * A tensor's shape is the sum of its shards, so one wrong shard makes it
 * wrong, and then others look wrong that aren't. Of the shapes that come from
 * putting one rank's extent in place of another's, the one that fits the most
 * ranks is taken for what was meant.
 */
#ifndef DTX_PLAN_BIND_BLAME_H
#define DTX_PLAN_BIND_BLAME_H

#include "plan/bind/bind.h"

/*
 * Finds the shape that was meant.
 *
 * bound     its shape is the sum of its shards, which don't fit it
 * datasets  [positions] the dataset of each, or -1
 * shape     [ndim] the bound's shape on entry, what was meant on return; a
 *           dim that the rule gives, or pads, stays as it is
 * local     [ndim] what the shard of the position should be
 *
 * Returns the first position that doesn't fit it; -1 when out of memory.
 */
int dtx_blame_position(const struct dtx_binding *binding,
                       const struct dtx_bound *bound, const int *datasets,
                       int64_t *shape, int64_t *local);

#endif
