/*
 * Binding to the target: new names, the target's rules, and classes.
 */
#ifndef DTX_PLAN_BIND_BIND_TARGET_H
#define DTX_PLAN_BIND_BIND_TARGET_H

#include "plan/bind/bind.h"

/*
 * Makes plan->tensors, plan->objects and plan->classes from what the source
 * holds. The plan's layouts, options and maps are set.
 */
enum dtx_status dtx_bind_target(struct dtx_plan *plan,
                                const struct dtx_binding *source,
                                struct dtx_diagnostics *list,
                                struct dtx_error *err);

#endif
