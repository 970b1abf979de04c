/*
 * Costs: the seconds that a plan's work takes on a machine.
 *
 * A process reads, exchanges messages and writes at the same time, step by
 * step: the slowest of the three counts in full, and of the others what can't
 * be hidden behind it. Storage and network are shared by the processes of a
 * node, and storage by all nodes.
 */
#ifndef DTX_PLAN_COST_H
#define DTX_PLAN_COST_H

#include <dtx/machine.h>

#include "plan/plan.h"

/* What a process does, beyond its bytes. */
struct dtx_work {
    struct dtx_process_cost bytes;
    double read_requests; /* ranges of files that are read one by one */
    double write_requests;
    double copied; /* bytes that pass from box to box in memory */
    double converted;
};

/*
 * The seconds in which all processes have done their work.
 *
 * works       [process_count]
 * processes   [count] those that have work, ascending; NULL: all
 * step_count  of the schedule; 0: as if it were endless, so that the seconds
 *             of parts of the work can be compared
 */
double dtx_cost_seconds(const struct dtx_machine *machine,
                        const struct dtx_work *works, int process_count,
                        const int *processes, int count, int64_t step_count);

/*
 * Sets what a class makes of its processes' work beyond the bytes, which are
 * set.
 *
 * processes  [count] that the class concerns
 * works      [process_count of the plan]
 */
void dtx_cost_add_work(const struct dtx_plan *plan, const struct dtx_class *c,
                       const int *processes, int count, struct dtx_work *works);

#endif
