/*
 * Groups' attributes on their way: the root's, those of groups that hold
 * tensors on both sides, and of groups that hold none.
 */
#ifndef DTX_PLAN_BIND_TARGET_GROUPS_H
#define DTX_PLAN_BIND_TARGET_GROUPS_H

#include "layout/target.h"
#include "plan/plan.h"
#include "util/text.h"

/* Sets base to a position's dataset template up to the name, groups only:
 * "rank-3/" or "". Returns -1 when out of memory. */
int dtx_group_base(const struct dtx_layout *layout, int position,
                   struct dtx_text *base);

/*
 * Sets a file's groups: for the root, for each group on the way to a dataset
 * of the file, and for each that holds no tensor, the source's group with
 * attributes of the lowest rank that has it. Groups are matched by their path
 * below the dataset template.
 *
 * positions  [count] of the file; none of the file that shows whole tensors
 *
 * Returns -1 when out of memory.
 */
int dtx_target_groups_add(const struct dtx_plan *plan,
                          struct dtx_target_file *file, const int *positions,
                          int count, struct dtx_arena *arena);

#endif
