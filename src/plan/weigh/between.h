/*
 * Between two sides: one round of a class, of which the routes are made.
 */
#ifndef DTX_PLAN_WEIGH_BETWEEN_H
#define DTX_PLAN_WEIGH_BETWEEN_H

#include "plan/plan.h"

/*
 * A copy of a class that goes from one side to another, with shares of its
 * own, in the plan's arena. NULL when out of memory.
 */
struct dtx_class *dtx_class_between(struct dtx_plan *plan,
                                    const struct dtx_class *optimal,
                                    const struct dtx_side *src,
                                    const struct dtx_side *dst);

/* How two tilings of a tensor overlap. [ndim] in the arena; NULL when out of
 * memory. */
const struct dtx_overlap **dtx_overlaps_between(struct dtx_arena *arena,
                                                const struct dtx_tiling *src,
                                                const struct dtx_tiling *dst);

#endif
