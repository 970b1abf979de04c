#include "compare.h"

#include "load.h"
#include "memory.h"
#include "progress.h"
#include "report.h"
#include "util/error.h"

enum dtx_status
compare_status(bool is_different, struct dtx_error *err)
{
    if (!is_different) {
        return DTX_OK;
    }
    dtx_error_set(err, DTX_ERR_DIFFERENT, "a difference was found");
    report_error_is_told();
    return DTX_ERR_DIFFERENT;
}

/* Compares what was loaded. The mistakes of both come to the first's list. */
static enum dtx_status
compare(struct inputs *inputs, const struct arguments *arguments,
        struct session *session, bool by_digest,
        struct dtx_comparison **comparison_out, struct dtx_error *err)
{
    const struct dtx_layout *layouts[2] = {inputs[0].source, inputs[1].source};
    const struct dtx_catalog *catalogs[2] = {inputs[0].catalog,
                                             inputs[1].catalog};
    struct progress progress;
    struct dtx_compare_options options = {
        .by_digest = by_digest,
        .progress = progress_begin(&progress, arguments),
        .progress_context = &progress,
        .include_count = (int)arguments->include.count,
        .include = arguments->include.items,
        .exclude_count = (int)arguments->exclude.count,
        .exclude = arguments->exclude.items,
    };
    enum dtx_status status = memory_choose(
        session, arguments, session->process_count, &options.memory_bytes, err);

    if (status != DTX_OK) {
        return status;
    }
    status = dtx_compare(layouts, catalogs, session->transport, &options,
                         inputs[0].list, comparison_out, err);
    progress_end(&progress);
    return inputs_settle(&inputs[0], session, status, err);
}

enum dtx_status
compare_run(const struct arguments *arguments, struct session *session,
            bool by_digest, struct dtx_error *err)
{
    struct inputs inputs[2] = {0};
    struct dtx_comparison *comparison = NULL;
    enum dtx_status status = DTX_OK;

    for (int i = 0; i < 2 && status == DTX_OK; i++) {
        status = inputs_load_compared(&inputs[i], session,
                                      arguments->operands[i], err);
    }
    if (status == DTX_OK) {
        status =
            compare(inputs, arguments, session, by_digest, &comparison, err);
    }
    if (status == DTX_OK) {
        inputs_show(&inputs[0]);
        inputs_show(&inputs[1]);
        status =
            arguments->is_json
                ? comparison_print_json(comparison, err)
                : comparison_print_text(comparison, arguments->command->name,
                                        arguments->operands, err);
        status = session_settle(session, status, err);
    }
    if (status == DTX_OK) {
        status = compare_status(dtx_comparison_difference_count(comparison) > 0,
                                err);
    }
    dtx_comparison_destroy(comparison);
    inputs_finish(&inputs[0]);
    inputs_finish(&inputs[1]);
    return status;
}
