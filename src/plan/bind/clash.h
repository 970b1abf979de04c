/*
 * Clashes: a file can't have a dataset at a path and a group there as well.
 */
#ifndef DTX_PLAN_BIND_CLASH_H
#define DTX_PLAN_BIND_CLASH_H

#include "plan/plan.h"
#include "util/names.h"

/*
 * Says whether each file of a plan's target can hold what it is to hold: 'a'
 * and 'a/b' may be tensors of one checkpoint, but not of one file.
 *
 * names  of the target's tensors and objects
 *
 * Fails with DTX_ERR_INVALID where they meet in one of the files, or in the
 * one that shows all tensors whole. Cost: O(characters of the names), and for
 * each such pair O(positions of the mesh).
 */
enum dtx_status dtx_target_clash_check(const struct dtx_plan *plan,
                                       const struct dtx_names *names,
                                       struct dtx_diagnostics *list,
                                       struct dtx_error *err);

#endif
