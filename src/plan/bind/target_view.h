/*
 * Target views: the file that shows a target's tensors whole.
 *
 * It has no data of its own: each of its datasets says where the shards are.
 * The plan's tensors are its datasets, in the plan's order, and its objects
 * are copied. Shards are named relative to it, so that all can move together.
 */
#ifndef DTX_PLAN_BIND_TARGET_VIEW_H
#define DTX_PLAN_BIND_TARGET_VIEW_H

#include "plan/bind/target_files.h"
#include "plan/plan.h"

/*
 * Says whether all of a plan's target can be shown where its layout asks for
 * that.
 *
 * Fails with DTX_ERR_INVALID for tensors with pending values, and a file that
 * can't name the shards or is one of them.
 */
enum dtx_status dtx_target_view_check(const struct dtx_plan *plan,
                                      struct dtx_diagnostics *list,
                                      struct dtx_error *err);

/* The process that writes it: that of the first rank. */
int dtx_target_view_creator(const struct dtx_plan *plan);

/* Describes the file, in the arena of the files. Returns -1 when out of
 * memory. */
int dtx_target_view_describe(struct dtx_target_files *files,
                             struct dtx_target_file *file);

#endif
