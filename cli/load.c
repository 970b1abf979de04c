#include "load.h"

#include "progress.h"
#include "report.h"
#include "table_check.h"
#include "util/error.h"

enum dtx_status
inputs_settle(struct inputs *inputs, struct session *session,
              enum dtx_status status, struct dtx_error *err)
{
    int before = inputs->error_count;

    if (inputs->list != NULL) {
        inputs->error_count = dtx_diagnostics_error_count(inputs->list);
    }
    status = session_settle(session, status, err);
    if (status != DTX_OK && inputs->error_count > before &&
        err->process == session->process) {
        report_error_is_told();
    }
    return status;
}

/*
 * Loads both layouts even where the first has mistakes: all are shown. Of two
 * failures the one counts that the list doesn't tell.
 */
static enum dtx_status
load_layouts(struct inputs *inputs, struct session *session, const char *source,
             enum dtx_role role, const char *target, struct dtx_error *err)
{
    struct dtx_error second = {0};
    enum dtx_status status;
    enum dtx_status target_status = DTX_OK;
    int source_errors;

    inputs->list = dtx_diagnostics_create();
    if (inputs->list == NULL) {
        return session_settle(session, dtx_error_memory(err), err);
    }
    status = dtx_layout_load(source, role, inputs->list, &inputs->source, err);
    source_errors = dtx_diagnostics_error_count(inputs->list);
    if (target != NULL) {
        target_status = dtx_layout_load(target, DTX_TARGET, inputs->list,
                                        &inputs->target, &second);
    }
    if (target_status != DTX_OK && (status == DTX_OK || source_errors > 0)) {
        bool is_listed =
            dtx_diagnostics_error_count(inputs->list) > source_errors;

        *err = second;
        status = target_status;
        inputs->error_count = is_listed ? 0 : source_errors;
    }
    return inputs_settle(inputs, session, status, err);
}

/* Nodes can see different files under one name. */
static enum dtx_status
check_layout(const struct dtx_layout *layout, struct session *session,
             struct dtx_error *err)
{
    bool is_alike;
    enum dtx_status status = session_compare(
        session, dtx_layout_fingerprint(layout), &is_alike, err);

    if (status != DTX_OK || is_alike) {
        return status;
    }
    dtx_error_set(err, DTX_ERR_INVALID, "'%s' is not the same on all processes",
                  dtx_layout_file_name(layout));
    dtx_error_hint(err, "is it on a file system that all nodes share?");
    return DTX_ERR_INVALID;
}

static enum dtx_status
check_layouts(const struct inputs *inputs, struct session *session,
              struct dtx_error *err)
{
    enum dtx_status status = check_layout(inputs->source, session, err);

    return status == DTX_OK && inputs->target != NULL
               ? check_layout(inputs->target, session, err)
               : status;
}

static enum dtx_status
load_table(struct inputs *inputs, struct dtx_catalog **table_out,
           struct session *session, struct dtx_error *err)
{
    enum dtx_status status =
        dtx_catalog_load_table(inputs->source, inputs->list, table_out, err);

    return inputs_settle(inputs, session, status, err);
}

/* Reads the files, and holds them against the table if there is one. */
static enum dtx_status
read_files(struct inputs *inputs, struct session *session,
           struct dtx_error *err)
{
    struct dtx_catalog *table = NULL;
    struct progress progress;
    struct dtx_catalog_options options = {
        .readers = session->readers.count > 0 ? &session->readers : NULL,
        .progress = progress_begin(&progress, session->arguments),
        .progress_context = &progress};
    enum dtx_status status = dtx_catalog_read_with(
        inputs->source, session->transport, &options, &inputs->catalog, err);

    progress_end(&progress);
    if (status != DTX_OK || !dtx_layout_has_table(inputs->source)) {
        return status;
    }
    status = load_table(inputs, &table, session, err);
    if (status == DTX_OK) {
        status = table_check(inputs->source, inputs->catalog, table,
                             inputs->list, err);
        status = inputs_settle(inputs, session, status, err);
    }
    dtx_catalog_destroy(table);
    return status;
}

/* A network's file system may show files to some processes before others, so
 * that they agree on what to read. */
static enum dtx_status
load_catalog(struct inputs *inputs, struct session *session,
             struct dtx_error *err)
{
    int64_t has_files = dtx_layout_has_files(inputs->source);
    enum dtx_status status;

    status =
        dtx_transport_maximum(session->transport, has_files, &has_files, err);
    if (status != DTX_OK) {
        return status;
    }
    if (has_files == 0 && dtx_layout_has_table(inputs->source)) {
        return load_table(inputs, &inputs->catalog, session, err);
    }
    return read_files(inputs, session, err);
}

static enum dtx_status
load(struct inputs *inputs, struct session *session, const char *source,
     enum dtx_role role, const char *target, struct dtx_error *err)
{
    enum dtx_status status;

    *inputs = (struct inputs){0};
    status = load_layouts(inputs, session, source, role, target, err);
    if (status == DTX_OK) {
        status = check_layouts(inputs, session, err);
    }
    return status == DTX_OK ? load_catalog(inputs, session, err) : status;
}

enum dtx_status
inputs_load(struct inputs *inputs, struct session *session, const char *source,
            const char *target, struct dtx_error *err)
{
    return load(inputs, session, source, DTX_SOURCE, target, err);
}

enum dtx_status
inputs_load_compared(struct inputs *inputs, struct session *session,
                     const char *name, struct dtx_error *err)
{
    return load(inputs, session, name, DTX_COMPARED, NULL, err);
}

enum dtx_status
inputs_load_layout(struct inputs *inputs, struct session *session,
                   const char *source, struct dtx_error *err)
{
    *inputs = (struct inputs){0};
    return load_layouts(inputs, session, source, DTX_COMPARED, NULL, err);
}

void
inputs_show(struct inputs *inputs)
{
    if (inputs->list != NULL && !inputs->is_shown) {
        report_diagnostics(inputs->list);
        inputs->is_shown = true;
    }
}

void
inputs_finish(struct inputs *inputs)
{
    inputs_show(inputs);
    dtx_catalog_destroy(inputs->catalog);
    dtx_layout_destroy(inputs->target);
    dtx_layout_destroy(inputs->source);
    dtx_diagnostics_destroy(inputs->list);
    *inputs = (struct inputs){0};
}
