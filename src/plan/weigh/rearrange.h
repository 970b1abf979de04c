/*
 * Rearrangements: from one layout to another on the same mesh, one axis at a
 * time.
 *
 * An axis can change by a collective among its own coordinates where it is
 * the innermost on the dim that it leaves and on the dim that it comes to:
 * an all-to-all from shard to shard, an all-gather from shard to replicate,
 * and a slice of what is there from replicate to shard.
 */
#ifndef DTX_PLAN_WEIGH_REARRANGE_H
#define DTX_PLAN_WEIGH_REARRANGE_H

#include "plan/plan.h"

/*
 * Finds where a class's tensors stop on their way: the tiling after each
 * change of an axis that moves something, but for the last one. Axes that
 * can't be changed so are left to the last way, from the last stop to the
 * target, which is then a general exchange.
 *
 * stops_out  [DTX_AXIS_MAX] in the plan's arena, for the source's mesh
 *
 * Returns how many stops there are: none where the layouts don't stand on the
 * same mesh; -1 when out of memory.
 */
int dtx_rearrange(struct dtx_plan *plan, const struct dtx_class *optimal,
                  const struct dtx_tiling **stops_out);

#endif
