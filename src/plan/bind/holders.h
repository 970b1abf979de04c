/*
 * Which layouts can't be: what the holders of a tensor must have in common.
 */
#ifndef DTX_PLAN_BIND_HOLDERS_H
#define DTX_PLAN_BIND_HOLDERS_H

#include "plan/plan.h"

/*
 * Refuses what can't be: an axis that both limits who holds the tensor and
 * shards it, shards of several ranks in one dataset, pending reductions in a
 * global view. Returns DTX_ERR_INVALID after a diagnostic.
 */
enum dtx_status dtx_check_holders(const struct dtx_layout *layout,
                                  const struct dtx_rule *rule, const char *name,
                                  const struct dtx_tiling *tiling,
                                  const struct dtx_presence *presence,
                                  struct dtx_diagnostics *list,
                                  struct dtx_error *err);

#endif
