/*
 * The commit: what is complete is put in place.
 *
 * Once all files are complete and durable, the journal says so; from then on
 * a run that dies is finished by the next one. Only then does the old manifest
 * go, and the old files with it. The new manifest comes last.
 */
#include <string.h>

#include "engine/commit/checkpoint.h"
#include "engine/commit/readback.h"
#include "engine/commit/target.h"
#include "layout/digest.h"
#include "manifest/manifest.h"
#include "storage/stop.h"
#include "util/alloc.h"
#include "util/error.h"

static enum dtx_status
settle(struct engine *e, enum dtx_status status, struct dtx_error *err)
{
    return dtx_transport_settle(e->transport, status, err);
}

static enum dtx_status
close_files(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < e->files->file_count && status == DTX_OK; i++) {
        status =
            dtx_must_stop()
                ? dtx_stopped(err)
                : e->storage->ops->close(e->storage, &e->files->files[i], err);
    }
    return settle(e, status, err);
}

/* All processes have the files in one order, so that those that share some
 * meet at them in turn. After a failure too: who shares the next file with
 * this process needn't know of it. */
static enum dtx_status
pack_files(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK, first = DTX_OK;
    struct dtx_error later;
    int i;

    for (i = 0; i < e->files->file_count; i++) {
        const struct dtx_target_file *file = &e->files->files[i];

        if (file->is_shared && (file->chunk_count > 0 || file->gzip)) {
            status = e->storage->ops->pack(e->storage, file,
                                           e->plan->options.memory_bytes,
                                           first == DTX_OK ? err : &later);
            first = first == DTX_OK ? status : first;
        }
    }
    return settle(e, first, err);
}

/* Puts a file in place, if the run that is resumed hasn't: the files have been
 * found to be what was complete. */
static enum dtx_status
place_file(struct engine *e, const struct dtx_target_file *file,
           struct dtx_error *err)
{
    const struct dtx_storage_ops *ops = e->storage->ops;

    if (dtx_must_stop()) {
        return dtx_stopped(err);
    }
    if (e->safety.is_resumed && !ops->exists(e->storage, file->temporary)) {
        return DTX_OK;
    }
    return ops->commit(e->storage, file->temporary, file->path, err);
}

static enum dtx_status
place_files(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < e->files->file_count && status == DTX_OK; i++) {
        if (e->files->files[i].create) {
            status = place_file(e, &e->files->files[i], err);
        }
    }
    return settle(e, status, err);
}

/* True where several datasets hold different parts of a tensor. */
static bool
is_divided(const struct dtx_plan *plan, const struct dtx_tensor *t)
{
    return plan->target->view == DTX_VIEW_LOCAL &&
           plan->classes[t->class_index]->final->product_count > 1;
}

/* The manifest's tensors, from the plan's; objects have a rule as well.
 * digests has 2 * DTX_DIGEST_TEXT for each tensor. */
static void
fill_tensors(const struct engine *e, struct dtx_manifest_tensor *tensors,
             char *digests)
{
    const struct dtx_plan *plan = e->plan;
    int i;

    for (i = 0; i < plan->tensor_count; i++) {
        const struct dtx_tensor *t = &plan->tensors[i];
        char *digest = digests + (size_t)i * 2 * DTX_DIGEST_TEXT;
        char *places = digest + DTX_DIGEST_TEXT;

        dtx_digest_format(e->digests.targets[i], digest);
        dtx_digest_format(e->digests.places[i], places);
        tensors[i] = (struct dtx_manifest_tensor){
            .name = t->dst_name,
            .rule = t->dst_rule,
            .ndim = t->ndim,
            .shape = t->shape,
            .dtype = t->dst_type.dtype,
            .digest = digest,
            .places = is_divided(plan, t) ? places : NULL};
    }
    for (i = 0; i < plan->object_count; i++) {
        tensors[plan->tensor_count + i] =
            (struct dtx_manifest_tensor){.name = plan->objects[i].dst_name,
                                         .rule = plan->objects[i].dst_rule,
                                         .ndim = -1};
    }
}

/* All files of the target with their sizes, for the process that writes the
 * manifest. */
static enum dtx_status
fill_files(struct engine *e, struct dtx_names *paths,
           struct dtx_manifest_file **files_out, struct dtx_error *err)
{
    const struct dtx_layout *target = e->plan->target;
    struct dtx_manifest_file *files;
    struct dtx_text path = {0};
    enum dtx_status status = DTX_OK;
    int i, failed = 0;

    for (i = 0; i < target->mesh.position_count && !failed; i++) {
        path.length = 0;
        dtx_layout_file(target, i, &path);
        failed = path.failed || dtx_names_add(paths, path.data) < 0;
    }
    if (target->global != NULL && !failed) {
        path.length = 0;
        dtx_layout_global_file(target, &path);
        failed = path.failed || dtx_names_add(paths, path.data) < 0;
    }
    dtx_text_finish(&path);
    files = dtx_alloc((size_t)paths->count, sizeof *files);
    if (failed || files == NULL) {
        status = dtx_error_memory(err);
    }
    for (i = 0; i < paths->count && status == DTX_OK; i++) {
        int64_t bytes = e->storage->ops->size(e->storage, paths->strings[i]);

        files[i] = (struct dtx_manifest_file){paths->strings[i],
                                              bytes < 0 ? 0 : (uint64_t)bytes};
        status = dtx_stop_heard(err);
    }
    *files_out = files;
    return status;
}

static enum dtx_status
write_manifest(struct engine *e, struct dtx_error *err)
{
    const struct dtx_plan *plan = e->plan;
    size_t count = (size_t)plan->tensor_count + (size_t)plan->object_count;
    struct dtx_manifest_tensor *tensors = dtx_alloc(count, sizeof *tensors);
    char *digests = dtx_alloc(count, 2 * DTX_DIGEST_TEXT);
    struct dtx_manifest_file *files = NULL;
    struct dtx_names paths = {0};
    struct dtx_text text = {0}, path = {0};
    enum dtx_status status = DTX_OK;

    if (tensors == NULL || digests == NULL) {
        status = dtx_error_memory(err);
    } else {
        status = fill_files(e, &paths, &files, err);
    }
    if (status == DTX_OK) {
        struct dtx_manifest manifest = {plan->target, (int)count, tensors,
                                        paths.count, files};

        fill_tensors(e, tensors, digests);
        dtx_manifest_write(&manifest, &text);
        dtx_manifest_path(plan->target, &path);
        status = text.failed || path.failed
                     ? dtx_error_memory(err)
                     : e->storage->ops->write_text(e->storage, path.data,
                                                   text.data, err);
    }
    dtx_text_finish(&text);
    dtx_text_finish(&path);
    dtx_names_finish(&paths);
    dtx_free(files);
    dtx_free(digests);
    dtx_free(tensors);
    return status;
}

/* An old manifest would vouch for files that are being replaced. */
static enum dtx_status
remove_old_manifest(struct engine *e, struct dtx_error *err)
{
    struct dtx_text path = {0};
    enum dtx_status status = DTX_OK;

    if (engine_leads(e)) {
        dtx_manifest_path(e->plan->target, &path);
        if (path.failed) {
            status = dtx_error_memory(err);
        } else {
            e->storage->ops->remove(e->storage, path.data);
        }
    }
    dtx_text_finish(&path);
    return settle(e, status, err);
}

/* Brings the files into their final form, and notes that all is safe. */
static enum dtx_status
complete_files(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = close_files(e, err);

    if (status == DTX_OK) {
        status = pack_files(e, err);
    }
    if (status == DTX_OK && e->options->verify) {
        status = engine_read_back(e, err);
    }
    return status == DTX_OK ? engine_note_committing(e, err) : status;
}

enum dtx_status
engine_commit_target(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status =
        e->safety.is_committing ? DTX_OK : complete_files(e, err);

    if (status == DTX_OK) {
        status = remove_old_manifest(e, err);
    }
    if (status == DTX_OK) {
        status = place_files(e, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    if (engine_leads(e)) {
        status = write_manifest(e, err);
    }
    return settle(e, status, err);
}
