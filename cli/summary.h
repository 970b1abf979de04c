/*
 * What a run did, told at its end.
 */
#ifndef DTX_CLI_SUMMARY_H
#define DTX_CLI_SUMMARY_H

#include <dtx/plan.h>
#include <dtx/reshard.h>

/* processes  [of the plan] what each did */
enum dtx_status summary_print_text(const struct dtx_plan *plan,
                                   const struct dtx_reshard_summary *summary,
                                   const struct dtx_reshard_process *processes,
                                   bool is_verbose, struct dtx_error *err);
enum dtx_status summary_print_json(const struct dtx_plan *plan,
                                   const struct dtx_reshard_summary *summary,
                                   const struct dtx_reshard_process *processes,
                                   struct dtx_error *err);

#endif
