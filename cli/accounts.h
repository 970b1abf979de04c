/*
 * What becomes of all that a source holds, in numbers: whatever isn't moved as
 * it is, is counted.
 */
#ifndef DTX_CLI_ACCOUNTS_H
#define DTX_CLI_ACCOUNTS_H

#include <dtx/plan.h>
#include <dtx/reshard.h>

#include "json.h"
#include "util/text.h"

/*
 * Adds a line for each kind of change that some tensors undergo.
 *
 * summary  of the run, which knows what conversions lost; NULL: not run yet
 */
void accounts_text(struct dtx_text *text, const struct dtx_plan *plan,
                   const struct dtx_reshard_summary *summary);

/* Adds their numbers, those that are 0 too. */
void accounts_json(struct json *json, const struct dtx_plan *plan);

/* Adds what conversions lost. */
void accounts_json_conversion(struct json *json, const struct dtx_plan *plan,
                              const struct dtx_reshard_summary *summary);

#endif
