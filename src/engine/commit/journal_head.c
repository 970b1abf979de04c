/*
 * The head of a journal: what a run is to do.
 */
#include <inttypes.h>
#include <string.h>

#include <dtx/version.h>

#include "engine/commit/journal.h"
#include "engine/commit/journal_lines.h"
#include "layout/crc64.h"
#include "manifest/manifest.h"
#include "storage/journal_file.h"
#include "storage/stop.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/names.h"

const char *
journal_relative(const char *journal_path, const char *path)
{
    const char *slash = strrchr(journal_path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - journal_path) + 1;

    return strncmp(path, journal_path, length) == 0 ? path + length : path;
}

static void
fill_tensors(const struct dtx_plan *plan, enum dtx_role role,
             struct dtx_manifest_tensor *tensors)
{
    int i;

    for (i = 0; i < plan->tensor_count; i++) {
        const struct dtx_tensor *t = &plan->tensors[i];
        bool is_source = role == DTX_SOURCE;

        tensors[i] = (struct dtx_manifest_tensor){
            .name = is_source ? t->src_name : t->dst_name,
            .rule = is_source ? t->src_rule : t->dst_rule,
            .ndim = t->ndim,
            .shape = t->shape,
            .dtype = is_source ? t->src_type.dtype : t->dst_type.dtype};
    }
}

/* Adds a number for what a layout means for the plan's tensors, however it is
 * written: that of a manifest. */
static enum dtx_status
add_layout(const struct dtx_plan *plan, enum dtx_role role,
           struct dtx_text *text, struct dtx_error *err)
{
    struct dtx_manifest_tensor *tensors =
        dtx_alloc((size_t)plan->tensor_count, sizeof *tensors);
    struct dtx_manifest manifest = {role == DTX_SOURCE ? plan->source
                                                       : plan->target,
                                    plan->tensor_count, tensors, 0, NULL};
    struct dtx_text meaning = {0};
    enum dtx_status status = DTX_OK;

    if (tensors == NULL) {
        return dtx_error_memory(err);
    }
    fill_tensors(plan, role, tensors);
    dtx_manifest_write(&manifest, &meaning);
    if (meaning.failed) {
        status = dtx_error_memory(err);
    } else {
        dtx_text_format(text, "%s %016" PRIx64 "\n",
                        role == DTX_SOURCE ? "source" : "target",
                        dtx_crc64_raw(meaning.data, meaning.length));
    }
    dtx_text_finish(&meaning);
    dtx_free(tensors);
    return status;
}

/* Adds a number for which tensors and objects become which. */
static enum dtx_status
add_tensors(const struct dtx_plan *plan, struct dtx_text *text,
            struct dtx_error *err)
{
    struct dtx_text names = {0};
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < plan->tensor_count; i++) {
        dtx_text_format(&names, "%s\n%s\n", plan->tensors[i].src_name,
                        plan->tensors[i].dst_name);
    }
    for (i = 0; i < plan->object_count; i++) {
        dtx_text_format(&names, "%s\n", plan->objects[i].dst_name);
    }
    if (names.failed) {
        status = dtx_error_memory(err);
    } else {
        dtx_text_format(text, "tensors %016" PRIx64 " %d\n",
                        dtx_crc64_raw(names.data, names.length),
                        plan->tensor_count);
    }
    dtx_text_finish(&names);
    return status;
}

static enum dtx_status
add_source_files(const struct engine *e, struct dtx_text *text,
                 struct dtx_error *err)
{
    const struct dtx_catalog *catalog = e->plan->catalog;
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < catalog->watched_count && status == DTX_OK; i++) {
        const char *path = catalog->files[i];

        status = dtx_stop_heard(err);
        dtx_text_format(text, "read %" PRId64 " %" PRId64 " ",
                        e->storage->ops->size(e->storage, path),
                        e->storage->ops->modified(e->storage, path));
        journal_add_path(text, path);
        dtx_text_add(text, "\n");
    }
    return status;
}

static void
add_target_file(const struct dtx_text *journal, const struct dtx_text *path,
                struct dtx_text *text)
{
    dtx_text_add(text, "write ");
    journal_add_path(text, journal_relative(journal->data, path->data));
    dtx_text_add(text, "\n");
}

/* Each file of the target once; ranks can share some. */
static int
add_target_files(const struct engine *e, struct dtx_text *text)
{
    const struct dtx_layout *target = e->plan->target;
    struct dtx_names paths = {0};
    struct dtx_text path = {0}, journal = {0};
    int i, failed = 0;

    dtx_manifest_journal_path(target, &journal);
    failed = journal.failed;
    for (i = 0; i < target->mesh.position_count && !failed; i++) {
        int before = paths.count;

        path.length = 0;
        dtx_layout_file(target, i, &path);
        failed = path.failed || dtx_names_add(&paths, path.data) < 0;
        if (!failed && paths.count > before) {
            add_target_file(&journal, &path, text);
        }
    }
    if (target->global != NULL && !failed) {
        path.length = 0;
        dtx_layout_global_file(target, &path);
        failed = path.failed;
        if (!failed) {
            add_target_file(&journal, &path, text);
        }
    }
    dtx_text_finish(&path);
    dtx_text_finish(&journal);
    dtx_names_finish(&paths);
    return failed ? -1 : 0;
}

enum dtx_status
journal_add_head(const struct engine *e, struct dtx_text *text,
                 struct dtx_error *err)
{
    enum dtx_status status;

    dtx_text_format(text, DTX_JOURNAL_BEGIN "3\nversion %s\n", dtx_version());
    status = add_source_files(e, text, err);
    if (status == DTX_OK) {
        status = add_layout(e->plan, DTX_SOURCE, text, err);
    }
    if (status == DTX_OK) {
        status = add_layout(e->plan, DTX_TARGET, text, err);
    }
    if (status == DTX_OK) {
        status = add_tensors(e->plan, text, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    if (add_target_files(e, text) != 0) {
        return dtx_error_memory(err);
    }
    dtx_text_add(text, "begin\n");
    return text->failed ? dtx_error_memory(err) : DTX_OK;
}
