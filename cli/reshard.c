#include <dtx/reshard.h>
#include <dtx/stop.h>

#include "leftovers.h"
#include "load.h"
#include "plan_make.h"
#include "plan_output.h"
#include "progress.h"
#include "report.h"
#include "session.h"
#include "summary.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/size.h"

enum { DEVICE_TEXT = 256 };

/*
 * Holds what was done against what was planned. The bytes are what the plan
 * and the engine count separately: a difference is a bug in one of them. A run
 * that went on with another did less.
 */
static enum dtx_status
check_counts(const struct dtx_plan *plan,
             const struct dtx_reshard_summary *summary, struct dtx_error *err)
{
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);

    if (summary->resumed > 0) {
        return DTX_OK;
    }
    if (summary->read == totals->read && summary->kept == totals->kept &&
        summary->moved == totals->moved &&
        summary->written == totals->written) {
        return DTX_OK;
    }
    dtx_error_set(err, DTX_ERR_INTERNAL,
                  "what was done isn't what was planned; this is a bug in dtx");
    dtx_error_hint(err, "the target is complete; 'dtx reshard --dry-run' shows "
                        "what was planned");
    return DTX_ERR_INTERNAL;
}

/* Says what was found to carry messages. */
static void
remark_device(const struct dtx_plan *plan, const struct session *session)
{
    bool takes = dtx_transport_reads_device(session->transport);
    bool asks = dtx_plan_options(plan)->transport == DTX_CARRIER_CUDA;
    char found[DEVICE_TEXT];

    dtx_cuda_describe(found, sizeof found);
    report_remark("CUDA %s", found);
    report_remark("messages go %s%s",
                  takes && asks ? "right from the device"
                                : "through pinned memory of the host",
                  takes || !asks ? "" : ": MPI can't read the device's");
}

static void
remark_work(const struct dtx_plan *plan, const struct session *session)
{
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);
    char sizes[3][DTX_SIZE_TEXT];

    if (dtx_plan_options(plan)->device == DTX_DEVICE_CUDA) {
        remark_device(plan, session);
    }
    report_remark("%s to read, %s to move, %s to write",
                  dtx_size_format(totals->read, sizes[0]),
                  dtx_size_format(totals->moved, sizes[1]),
                  dtx_size_format(totals->written, sizes[2]));
}

static void
show_remark(const char *remark, void *context)
{
    (void)context;
    report_remark("%s", remark);
}

/* Prints what was done, and holds it against the plan. */
static enum dtx_status
tell(const struct dtx_plan *plan, const struct arguments *arguments,
     const struct dtx_reshard_summary *summary,
     const struct dtx_reshard_process *processes, struct dtx_error *err)
{
    enum dtx_status status =
        arguments->is_json ? summary_print_json(plan, summary, processes, err)
                           : summary_print_text(plan, summary, processes,
                                                arguments->is_verbose, err);

    return status == DTX_OK ? check_counts(plan, summary, err) : status;
}

static enum dtx_status
carry_out(const struct dtx_plan *plan, const struct arguments *arguments,
          struct session *session, struct dtx_error *err)
{
    struct progress progress;
    struct dtx_reshard_options options = {
        .force = arguments->is_forced,
        .verify = arguments->is_verified,
        .resume = arguments->is_resumed,
        .checkpoint_seconds = arguments->checkpoint_seconds,
        .check_replicas = arguments->check_replicas,
        .progress = progress_begin(&progress, arguments),
        .progress_context = &progress,
    };
    struct dtx_reshard_summary summary;
    enum dtx_status status;

    if (arguments->is_verbose) {
        remark_work(plan, session);
    }
    if (!arguments->is_quiet) {
        options.remark = show_remark;
    }
    options.processes =
        dtx_alloc((size_t)session->process_count, sizeof *options.processes);
    status = options.processes == NULL ? dtx_error_memory(err) : DTX_OK;
    status = session_settle(session, status, err);
    if (status == DTX_OK) {
        status = dtx_reshard(plan, session->transport, &options, &summary, err);
        progress_end(&progress);
    }
    if (status == DTX_OK) {
        status = tell(plan, arguments, &summary, options.processes, err);
        status = session_settle(session, status, err);
    }
    dtx_free(options.processes);
    return status;
}

/* Does what carry_out() does, and says what is left of a target that was
 * there before. */
static enum dtx_status
replace(const struct dtx_plan *plan, const struct arguments *arguments,
        const struct dtx_layout *target, struct session *session,
        struct dtx_error *err)
{
    struct leftovers leftovers = {0};
    enum dtx_status status;

    if (arguments->is_forced && report_speaks()) {
        leftovers_look(&leftovers, target);
    }
    status = carry_out(plan, arguments, session, err);
    if (status == DTX_OK) {
        leftovers_warn(&leftovers);
    }
    leftovers_finish(&leftovers);
    return status;
}

enum dtx_status
reshard_run(const struct arguments *arguments, struct session *session,
            struct dtx_error *err)
{
    struct inputs inputs;
    struct dtx_plan *plan = NULL;
    enum dtx_status status;

    session->readers = (struct dtx_readers){(int)arguments->src_procs.count,
                                            arguments->src_procs.items};
    status = inputs_load(&inputs, session, arguments->operands[0],
                         arguments->operands[1], err);
    if (status == DTX_OK) {
        status = plan_make(&inputs, session, arguments, session->process_count,
                           &plan, err);
    }
    if (status == DTX_OK) {
        /* Before the work, so that warnings are seen in time. */
        inputs_show(&inputs);
        if (arguments->is_dry_run) {
            status = plan_print(plan, &inputs, arguments, err);
            status = session_settle(session, status, err);
        } else {
            status = session_settle(session, dtx_stop_check(err), err);
            if (status == DTX_OK) {
                status = replace(plan, arguments, inputs.target, session, err);
            }
        }
    }
    dtx_plan_destroy(plan);
    inputs_finish(&inputs);
    return status;
}
