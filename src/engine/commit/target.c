#include "engine/commit/target.h"

#include <string.h>

#include "engine/clock.h"
#include "engine/combine.h"
#include "manifest/manifest.h"
#include "storage/stop.h"
#include "util/alloc.h"
#include "util/error.h"

/* How long files are removed in a hurry. */
static const double removing_seconds = 1.5;

static enum dtx_status
settle(struct engine *e, enum dtx_status status, struct dtx_error *err)
{
    return dtx_transport_settle(e->transport, status, err);
}

/* ---------------------------------------------------------------- checking */

static enum dtx_status
refuse_existing(const struct engine *e, const char *path, struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_TARGET, "the target '%s' exists", path);
    dtx_error_hint(err, "%s--force replaces it",
                   e->options->resume ? "there is nothing to resume; " : "");
    return DTX_ERR_TARGET;
}

/* --force replaces files; a folder would be found in the way at the very end,
 * when the old target is half replaced. */
static enum dtx_status
refuse_other(const struct engine *e, const char *path, struct dtx_error *err)
{
    if (e->storage->ops->size(e->storage, path) >= 0) {
        return DTX_OK;
    }
    return dtx_error_set(err, DTX_ERR_TARGET,
                         "cannot replace '%s': it is a folder or another thing "
                         "that is no file",
                         path);
}

/* What the source's files are, under whatever names: listed when the first
 * file is found to be in the way. */
struct source_files {
    const struct engine *e;
    struct dtx_names identities;
    struct dtx_text text; /* of one; scratch */
    bool is_listed;
};

static void
source_files_finish(struct source_files *source)
{
    dtx_names_finish(&source->identities);
    dtx_text_finish(&source->text);
}

static enum dtx_status
add_identity(struct source_files *source, const char *path,
             struct dtx_error *err)
{
    struct dtx_storage *storage = source->e->storage;

    source->text.length = 0;
    if (storage->ops->identify(storage, path, &source->text) &&
        (source->text.failed ||
         dtx_names_add(&source->identities, source->text.data) < 0)) {
        return dtx_error_memory(err);
    }
    return dtx_stop_heard(err);
}

static enum dtx_status
list_source(struct source_files *source, struct dtx_error *err)
{
    const struct dtx_plan *plan = source->e->plan;
    enum dtx_status status = add_identity(source, plan->source->file, err);
    int i;

    for (i = 0; i < plan->catalog->watched_count && status == DTX_OK; i++) {
        status = add_identity(source, plan->catalog->files[i], err);
    }
    source->is_listed = true;
    return status;
}

static enum dtx_status
refuse_existing_source(struct source_files *source, const char *path,
                       struct dtx_error *err)
{
    struct dtx_storage *storage = source->e->storage;
    enum dtx_status status =
        source->is_listed ? DTX_OK : list_source(source, err);

    if (status != DTX_OK) {
        return status;
    }
    source->text.length = 0;
    if (!storage->ops->identify(storage, path, &source->text)) {
        return DTX_OK;
    }
    if (source->text.failed) {
        return dtx_error_memory(err);
    }
    return dtx_names_find(&source->identities, source->text.data) < 0
               ? DTX_OK
               : dtx_error_set(err, DTX_ERR_INVALID,
                               "'%s' is a file of the source, too", path);
}

/* What a run writes, or removes, under this name and endings must not be what
 * it reads, or its layout: that would lose it. */
static enum dtx_status
refuse_source(struct source_files *source, const char *name,
              const char *const *endings, struct dtx_error *err)
{
    struct dtx_storage *storage = source->e->storage;
    struct dtx_text path = {0};
    enum dtx_status status = DTX_OK;

    for (; *endings != NULL && status == DTX_OK; endings++) {
        path.length = 0;
        dtx_text_format(&path, "%s%s", name, *endings);
        status = path.failed ? dtx_error_memory(err) : dtx_stop_heard(err);
        if (status == DTX_OK && storage->ops->exists(storage, path.data)) {
            status = refuse_existing_source(source, path.data, err);
        }
    }
    dtx_text_finish(&path);
    return status;
}

/* What the leader writes. */
static enum dtx_status
refuse_source_of_leader(struct source_files *source, struct dtx_error *err)
{
    static const char *const manifest_endings[] = {"", ".tmp", NULL};
    static const char *const journal_endings[] = {"", NULL};
    struct dtx_text manifest = {0}, journal = {0};
    enum dtx_status status;

    dtx_manifest_path(source->e->plan->target, &manifest);
    dtx_manifest_journal_path(source->e->plan->target, &journal);
    if (manifest.failed || journal.failed) {
        status = dtx_error_memory(err);
    } else {
        status = refuse_source(source, manifest.data, manifest_endings, err);
        if (status == DTX_OK) {
            status = refuse_source(source, journal.data, journal_endings, err);
        }
    }
    dtx_text_finish(&manifest);
    dtx_text_finish(&journal);
    return status;
}

enum dtx_status
engine_spare_source(struct engine *e, struct dtx_error *err)
{
    static const char *const endings[] = {
        "", DTX_TEMPORARY_ENDING, DTX_TEMPORARY_ENDING DTX_PACKED_ENDING, NULL};
    struct source_files source = {.e = e};
    enum dtx_status status =
        engine_leads(e) ? refuse_source_of_leader(&source, err) : DTX_OK;
    int i;

    for (i = 0; i < e->files->file_count && status == DTX_OK; i++) {
        if (e->files->files[i].create) {
            status =
                refuse_source(&source, e->files->files[i].path, endings, err);
        }
    }
    source_files_finish(&source);
    return settle(e, status, err);
}

static enum dtx_status
check_files(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < e->files->file_count && status == DTX_OK; i++) {
        const struct dtx_target_file *file = &e->files->files[i];

        status = dtx_stop_heard(err);
        if (status == DTX_OK && file->create &&
            e->storage->ops->exists(e->storage, file->path)) {
            status = e->safety.is_forced ? refuse_other(e, file->path, err)
                                         : refuse_existing(e, file->path, err);
        }
    }
    return status;
}

enum dtx_status
engine_check_manifest(const struct engine *e, struct dtx_error *err)
{
    struct dtx_text path = {0};
    enum dtx_status status = DTX_OK;

    dtx_manifest_path(e->plan->target, &path);
    if (path.failed) {
        status = dtx_error_memory(err);
    } else if (e->storage->ops->exists(e->storage, path.data)) {
        status = e->safety.is_forced ? refuse_other(e, path.data, err)
                                     : refuse_existing(e, path.data, err);
    }
    dtx_text_finish(&path);
    return status;
}

enum dtx_status
engine_check_target(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status =
        engine_leads(e) ? engine_check_manifest(e, err) : DTX_OK;

    if (status == DTX_OK) {
        status = check_files(e, err);
    }
    return settle(e, status, err);
}

/* ---------------------------------------------------------------- creating */

/* Adds the offsets of a file's datasets to what all processes get. */
static void
add_offsets(const struct dtx_target_file *file, struct dtx_text *bytes)
{
    uint32_t length = (uint32_t)strlen(file->path);
    int64_t count = file->dataset_count;
    int i;

    dtx_text_add_bytes(bytes, (const char *)&length, sizeof length);
    dtx_text_add_bytes(bytes, file->path, length);
    dtx_text_add_bytes(bytes, (const char *)&count, sizeof count);
    for (i = 0; i < file->dataset_count; i++) {
        dtx_text_add_bytes(bytes, (const char *)&file->datasets[i].offset,
                           sizeof file->datasets[i].offset);
    }
}

static struct dtx_target_file *
find_file(struct engine *e, const char *path, size_t length)
{
    int i;

    for (i = 0; i < e->files->file_count; i++) {
        struct dtx_target_file *file = &e->files->files[i];

        if (strlen(file->path) == length &&
            memcmp(file->path, path, length) == 0) {
            return file;
        }
    }
    return NULL;
}

/*
 * Takes over the offsets of files that others created. The bytes hold, file by
 * file: length and path, then the number of datasets and their offsets.
 */
static enum dtx_status
take_offsets(struct engine *e, const char *bytes, size_t size,
             struct dtx_error *err)
{
    size_t at = 0;

    while (at < size) {
        uint32_t length;
        struct dtx_target_file *file;
        int64_t count;
        int i;

        memcpy(&length, bytes + at, sizeof length);
        at += sizeof length;
        file = find_file(e, bytes + at, length);
        at += length;
        memcpy(&count, bytes + at, sizeof count);
        at += sizeof count;
        if (file != NULL && file->dataset_count != count) {
            return dtx_error_set(err, DTX_ERR_INTERNAL,
                                 "processes describe '%s' differently",
                                 file->path);
        }
        for (i = 0; i < count && file != NULL && !file->create; i++) {
            memcpy(&file->datasets[i].offset,
                   bytes + at + (size_t)i * sizeof(uint64_t), sizeof(uint64_t));
        }
        at += (size_t)count * sizeof(uint64_t);
    }
    return DTX_OK;
}

/* Tells every process where the datasets of shared files begin. */
static enum dtx_status
share_offsets(struct engine *e, struct dtx_error *err)
{
    struct dtx_text own = {0};
    char *all = NULL;
    size_t total;
    enum dtx_status status;
    int i;

    for (i = 0; i < e->files->file_count; i++) {
        if (e->files->files[i].create && e->files->files[i].is_shared) {
            add_offsets(&e->files->files[i], &own);
        }
    }
    status = own.failed ? dtx_error_memory(err) : DTX_OK;
    status = engine_gather(e->transport, status, own.data, own.length, &all,
                           &total, err);
    if (status == DTX_OK) {
        status = take_offsets(e, all, total, err);
    }
    dtx_free(all);
    dtx_text_finish(&own);
    return settle(e, status, err);
}

static enum dtx_status
create_files(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < e->files->file_count && status == DTX_OK; i++) {
        if (!e->files->files[i].create) {
            continue;
        }
        status =
            dtx_must_stop()
                ? dtx_stopped(err)
                : e->storage->ops->create(e->storage, &e->files->files[i], err);
    }
    return status;
}

/* Takes up the files that an earlier run created. */
static enum dtx_status
reopen_files(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < e->files->file_count && status == DTX_OK; i++) {
        status = dtx_stop_heard(err);
        if (status == DTX_OK && e->files->files[i].create) {
            status =
                e->storage->ops->reopen(e->storage, &e->files->files[i], err);
        }
    }
    return status;
}

enum dtx_status
engine_make_target(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status =
        e->safety.is_resumed ? reopen_files(e, err) : create_files(e, err);

    status = settle(e, status, err);
    return status == DTX_OK ? share_offsets(e, err) : status;
}

bool
engine_abandon_target(struct engine *e, bool is_kept, bool is_hurried)
{
    uint64_t begin = engine_now_ns();
    bool is_left = false;
    int i;

    for (i = 0; i < e->files->file_count; i++) {
        const struct dtx_target_file *file = &e->files->files[i];

        e->storage->ops->abandon(e->storage, file);
        if (file->create && !is_kept) {
            is_left |=
                is_hurried && engine_seconds_since(begin) > removing_seconds;
            if (!is_left) {
                e->storage->ops->remove(e->storage, file->temporary);
            }
        }
    }
    return !is_left;
}
