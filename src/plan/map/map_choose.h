/*
 * The map `auto`: where ranks are hosted so that least must move.
 *
 * With one rank of each mesh a process it is best to keep the source where
 * `block` has it and to place the target: an assignment, solved exactly. Where
 * processes host several, which source ranks share a process matters too, and
 * target ranks that hold the same had better share one: then the two meshes
 * are placed in turn, and in bundles, as long as less and less must move.
 *
 * Pending terms that several processes need are placed as if each got them
 * all, though they are reduced once and passed on: then nothing is proven.
 *
 * What must move is counted anew for each map that is considered, and one that
 * doesn't save anything over `block` isn't taken.
 */
#ifndef DTX_PLAN_MAP_MAP_CHOOSE_H
#define DTX_PLAN_MAP_MAP_CHOOSE_H

#include "plan/plan.h"

/*
 * Sets the plan's maps and gain, and puts its sides on their processes.
 * Classes and sides are made, under `block`. Returns -1 when out of memory.
 */
int dtx_map_choose(struct dtx_plan *plan);

#endif
