#include <dtx/verify.h>

#include "compare.h"
#include "load.h"
#include "memory.h"
#include "progress.h"
#include "util/error.h"
#include "verify_output.h"

/* Loads the manifest: the operand itself, or what dtx left with the target
 * that the operand describes. */
static enum dtx_status
load_manifest(struct inputs *inputs, struct session *session, const char *name,
              struct dtx_error *err)
{
    enum dtx_status status = inputs_load_layout(inputs, session, name, err);
    char *path;

    if (status != DTX_OK || dtx_layout_is_manifest(inputs->source)) {
        return status;
    }
    path = dtx_layout_manifest_path(inputs->source);
    if (path == NULL) {
        return session_settle(session, dtx_error_memory(err), err);
    }
    inputs->is_shown = true; /* its warnings are of no concern here */
    inputs_finish(inputs);
    status = inputs_load_layout(inputs, session, path, err);
    dtx_string_free(path);
    if (status != DTX_OK && err->hint[0] == '\0') {
        dtx_error_hint(err, "'%s' has no digests, only a manifest of dtx has",
                       name);
    }
    return status;
}

static enum dtx_status
verify(const struct arguments *arguments, struct session *session,
       struct inputs *inputs, struct dtx_verification **verification_out,
       struct dtx_error *err)
{
    struct progress progress;
    struct dtx_verify_options options = {
        .progress = progress_begin(&progress, arguments),
        .progress_context = &progress};
    enum dtx_status status = memory_choose(
        session, arguments, session->process_count, &options.memory_bytes, err);

    if (status == DTX_OK) {
        status = dtx_verify(inputs->source, session->transport, &options,
                            inputs->list, verification_out, err);
        progress_end(&progress);
        status = inputs_settle(inputs, session, status, err);
    }
    return status;
}

static enum dtx_status
verify_alone(const struct arguments *arguments, struct session *session,
             struct dtx_error *err)
{
    struct inputs inputs;
    struct dtx_verification *verification = NULL;
    enum dtx_status status =
        load_manifest(&inputs, session, arguments->operands[0], err);

    if (status == DTX_OK) {
        status = verify(arguments, session, &inputs, &verification, err);
    }
    if (status == DTX_OK) {
        inputs_show(&inputs);
        status = arguments->is_json
                     ? verification_print_json(verification, err)
                     : verification_print_text(verification, err);
        status = session_settle(session, status, err);
    }
    if (status == DTX_OK) {
        status = compare_status(
            dtx_verification_finding_count(verification) > 0, err);
    }
    dtx_verification_destroy(verification);
    inputs_finish(&inputs);
    return status;
}

enum dtx_status
verify_run(const struct arguments *arguments, struct session *session,
           struct dtx_error *err)
{
    return arguments->operand_count == 1
               ? verify_alone(arguments, session, err)
               : compare_run(arguments, session, true, err);
}
