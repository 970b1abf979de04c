/*
 * Redistribution: source shards go as they are to the target's processes,
 * which then rearrange them among themselves.
 *
 * What the target's processes hold already stays where it is; what none of
 * them holds goes to them in turn, in a round of its own. Then come the
 * rounds of the rearrangement (rearrange.h). A round that nobody would send
 * anything in is left out: the next one reads the files by itself.
 */
#ifndef DTX_PLAN_WEIGH_REDISTRIBUTE_H
#define DTX_PLAN_WEIGH_REDISTRIBUTE_H

#include "plan/plan.h"

/* The rounds of a class, in the plan's arena; NULL when out of memory. */
struct dtx_class *dtx_redistribute(struct dtx_plan *plan,
                                   const struct dtx_class *optimal);

#endif
