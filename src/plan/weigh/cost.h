/*
 * Costs: the seconds that a plan's work takes on a machine.
 *
 * A process reads, exchanges messages and writes at the same time, step by
 * step: the slowest of the three counts in full, and of the others what a
 * machine can't hide behind it. Storage and network are shared by the
 * processes of a node, and storage by all nodes; messages within a node don't
 * take any of the network. Before all this the target's
 * files are made.
 */
#ifndef DTX_PLAN_WEIGH_COST_H
#define DTX_PLAN_WEIGH_COST_H

#include <stdbool.h>

#include <dtx/machine.h>

#include "plan/plan.h"

/* What a process does, beyond its bytes. */
struct dtx_work {
    struct dtx_process_cost bytes;
    double far_sent, far_received; /* bytes of these from node to node */
    double fetched;       /* bytes that reading takes from files, with gaps */
    double read_requests; /* ranges of files that are read one by one */
    double write_requests;
    double copied; /* bytes that pass from box to box in memory */
    double converted;
    /* What summing digests takes, as bytes that could be copied meanwhile. */
    double read_digested, write_digested;
};

/* Where work is done, and by how many. */
struct dtx_site {
    const struct dtx_machine *machine;
    int process_count;
    enum dtx_device_kind device;
    bool goes_through_host;      /* what is sent from a device */
    const int *nodes;            /* [process_count]; NULL: all on one */
    struct dtx_work *node_works; /* [nodes] the caller's, for the seconds; empty
                                    before and after */
};

/* All but node_works. */
struct dtx_site dtx_site_of(const struct dtx_plan *plan);

/*
 * The seconds in which all processes have done their work.
 *
 * works       [process_count of the site]
 * processes   [count] those that have work, ascending; NULL: all
 * step_count  of the schedule; 0: as if it were endless, so that the seconds
 *             of parts of the work can be compared
 * stages_out  what each stage takes by itself, without the setup; may be NULL
 */
double dtx_cost_seconds(const struct dtx_site *site,
                        const struct dtx_work *works, const int *processes,
                        int count, int64_t step_count,
                        struct dtx_stage_seconds *stages_out);

/*
 * Sets what a class makes of its processes' work beyond the bytes, which are
 * set.
 *
 * processes  [count] that the class concerns
 * works      [process_count of the plan]
 */
void dtx_cost_add_work(const struct dtx_plan *plan, const struct dtx_class *c,
                       const int *processes, int count, struct dtx_work *works);

/* Adds the work of one class to that of a plan, but for the bytes. */
void dtx_cost_sum(struct dtx_work *sum, const struct dtx_work *work);

/*
 * The seconds that a plan's target takes beside its bytes, whatever the
 * strategy: files and datasets are made, a journal and a manifest written. -1
 * when out of memory.
 */
int dtx_cost_setup(const struct dtx_machine *machine,
                   const struct dtx_plan *plan, double *seconds_out);

#endif
