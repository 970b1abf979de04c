#include <string.h>

#include <dtx/plan.h>

#include "load.h"
#include "plan_make.h"
#include "plan_output.h"
#include "plan_page.h"
#include "rankfile.h"
#include "session.h"

enum dtx_status
plan_print(const struct dtx_plan *plan, const struct inputs *inputs,
           const struct arguments *arguments, struct dtx_error *err)
{
    bool is_answered = false; /* another answer takes the table's place */
    enum dtx_status status = DTX_OK;

    if (arguments->transfers != NULL) {
        status = plan_write_transfers(plan, arguments->transfers, err);
        is_answered = strcmp(arguments->transfers, "-") == 0;
    }
    if (status == DTX_OK && arguments->rankfile != NULL) {
        status = rankfile_write(plan, inputs->target, arguments, err);
        is_answered = is_answered || strcmp(arguments->rankfile, "-") == 0;
    }
    if (status == DTX_OK && arguments->html != NULL) {
        status = plan_write_page(plan, inputs, arguments->html, err);
        is_answered = is_answered || strcmp(arguments->html, "-") == 0;
    }
    if (status != DTX_OK || is_answered) {
        return status;
    }
    if (arguments->tensor != NULL) {
        return plan_print_tensor(plan, arguments, err);
    }
    return arguments->is_json ? plan_print_json(plan, inputs, err)
                              : plan_print_text(plan, inputs, err);
}

/* As many processes as the larger mesh has ranks, if the user doesn't say. */
static int
default_process_count(const struct inputs *inputs)
{
    int source = dtx_layout_rank_count(inputs->source);
    int target = dtx_layout_rank_count(inputs->target);

    return source > target ? source : target;
}

enum dtx_status
plan_run(const struct arguments *arguments, struct session *session,
         struct dtx_error *err)
{
    struct inputs inputs;
    struct dtx_plan *plan = NULL;
    int process_count = arguments->process_count;
    enum dtx_status status;

    status = inputs_load(&inputs, session, arguments->operands[0],
                         arguments->operands[1], err);
    if (status == DTX_OK) {
        if (process_count == 0) {
            process_count = default_process_count(&inputs);
        }
        status =
            plan_make(&inputs, session, arguments, process_count, &plan, err);
    }
    if (status == DTX_OK) {
        inputs_show(&inputs);
        status = plan_print(plan, &inputs, arguments, err);
    }
    dtx_plan_destroy(plan);
    inputs_finish(&inputs);
    return status;
}
