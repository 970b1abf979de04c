#include "plan_make.h"

#include <dtx/stop.h>

#include "machine.h"
#include "memory.h"
#include "progress.h"
#include "report.h"
#include "signals.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/size.h"

/* A last look before anything moves: a table, say, can differ, too. */
static enum dtx_status
check_plan(const struct dtx_plan *plan, struct session *session,
           struct dtx_error *err)
{
    bool is_alike;
    enum dtx_status status =
        session_compare(session, plan_fingerprint(plan), &is_alike, err);

    if (status != DTX_OK || is_alike) {
        return status;
    }
    dtx_error_set(err, DTX_ERR_INVALID,
                  "the processes have made different plans");
    dtx_error_hint(err, "do all nodes see the same files?");
    return DTX_ERR_INVALID;
}

/* The node of each process of a job; NULL when out of memory. */
static int *
job_nodes(const struct session *session)
{
    int *nodes = dtx_alloc((size_t)session->process_count, sizeof(*nodes));

    for (int p = 0; nodes != NULL && p < session->process_count; p++) {
        nodes[p] = dtx_transport_node(session->transport, p);
    }
    return nodes;
}

enum dtx_status
plan_make(struct inputs *inputs, struct session *session,
          const struct arguments *arguments, int process_count,
          struct dtx_plan **plan_out, struct dtx_error *err)
{
    struct dtx_plan_options options = {
        .strategy = arguments->strategy,
        .process_count = process_count,
        .map = arguments->map,
        .device = arguments->device,
        .transport = arguments->transport,
        .src_proc_count = (int)arguments->src_procs.count,
        .src_procs = arguments->src_procs.items,
        .dst_proc_count = (int)arguments->dst_procs.count,
        .dst_procs = arguments->dst_procs.items,
        .include_count = (int)arguments->include.count,
        .include = arguments->include.items,
        .exclude_count = (int)arguments->exclude.count,
        .exclude = arguments->exclude.items,
    };
    struct progress progress;
    struct dtx_machine machine;
    bool is_job = session->uses_mpi && process_count == session->process_count;
    int *nodes = NULL;
    char size[DTX_SIZE_TEXT];
    enum dtx_status status;

    status = memory_choose(session, arguments, process_count,
                           &options.memory_bytes, err);
    if (status == DTX_OK) {
        status = machine_choose(inputs, session, arguments, &machine, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    options.machine = &machine;
    options.progress = progress_begin(&progress, arguments);
    options.progress_context = &progress;
    options.must_stop = signals_must_stop;
    if (is_job) {
        options.nodes = nodes = job_nodes(session);
    }
    if (arguments->is_verbose) {
        report_remark("%d process%s, %s of memory each%s", process_count,
                      process_count == 1 ? "" : "es",
                      dtx_size_format(options.memory_bytes, size),
                      arguments->memory_bytes == 0 ? " by default" : "");
    }
    status =
        is_job && nodes == NULL
            ? dtx_error_memory(err)
            : dtx_plan_create(inputs->source, inputs->target, inputs->catalog,
                              &options, inputs->list, plan_out, err);
    if (status == DTX_ERR_INTERRUPTED) {
        status = dtx_stop_check(err); /* by which signal */
    }
    progress_end(&progress);
    dtx_free(nodes);
    status = inputs_settle(inputs, session, status, err);
    return status == DTX_OK ? check_plan(*plan_out, session, err) : status;
}
