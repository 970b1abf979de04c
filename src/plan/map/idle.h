/*
 * What a layout says in vain: rules and entries of `numbered` that match no
 * tensor, and numbers that a coordinate should hold but no tensor has. All are
 * warnings, with what there is instead.
 */
#ifndef DTX_PLAN_MAP_IDLE_H
#define DTX_PLAN_MAP_IDLE_H

#include "layout/layout.h"
#include "util/names.h"

struct dtx_diagnostics;

/*
 * Adds a warning for each rule that matched nothing, as uses [rule_count]
 * counts it.
 *
 * names  of the tensors that were matched, of which some may be left out
 */
void dtx_warn_idle_rules(const struct dtx_layout *layout, const int *uses,
                         const struct dtx_names *names,
                         struct dtx_diagnostics *list);

/* The same for entries of `numbered`. names are all tensors'. */
void dtx_warn_idle_numbers(const struct dtx_layout *layout,
                           const struct dtx_names *names,
                           struct dtx_diagnostics *list);

#endif
