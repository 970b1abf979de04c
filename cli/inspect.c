#include <dtx/plan.h>

#include "inspect_output.h"
#include "load.h"
#include "session.h"

static enum dtx_status
print(const struct arguments *arguments, const struct inputs *inputs,
      const struct dtx_inspection *inspection, struct dtx_error *err)
{
    if (arguments->tensor != NULL) {
        return inspect_print_tensor(inspection, arguments->tensor,
                                    arguments->is_json, err);
    }
    return arguments->is_json
               ? inspect_print_json(inspection, inputs->source, err)
               : inspect_print_text(inspection, inputs->source,
                                    arguments->is_verbose, err);
}

enum dtx_status
inspect_run(const struct arguments *arguments, struct session *session,
            struct dtx_error *err)
{
    struct inputs inputs;
    struct dtx_inspection *inspection = NULL;
    enum dtx_status status;

    status = inputs_load(&inputs, session, arguments->operands[0], NULL, err);
    if (status == DTX_OK) {
        status = dtx_inspect(inputs.source, inputs.catalog, inputs.list,
                             &inspection, err);
        status = inputs_settle(&inputs, session, status, err);
    }
    if (status == DTX_OK) {
        inputs_show(&inputs);
        status = print(arguments, &inputs, inspection, err);
    }
    dtx_inspection_destroy(inspection);
    inputs_finish(&inputs);
    return status;
}
