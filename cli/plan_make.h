/*
 * The plan of what was loaded, as the arguments ask for it.
 */
#ifndef DTX_CLI_PLAN_MAKE_H
#define DTX_CLI_PLAN_MAKE_H

#include <dtx/plan.h>

#include "load.h"

/*
 * Makes the plan that the arguments ask for. Collective like inputs_load().
 *
 * process_count  of the run that is planned
 */
enum dtx_status plan_make(struct inputs *inputs, struct session *session,
                          const struct arguments *arguments, int process_count,
                          struct dtx_plan **plan_out, struct dtx_error *err);

#endif
