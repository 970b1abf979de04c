#include "storage/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "storage/files.h"
#include "storage/storage.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/text.h"

/* Makes an empty file of a new name in the folder; adds the name. */
static enum dtx_status
make_file(const char *folder, struct dtx_text *path, int *fd_out,
          struct dtx_error *err)
{
    dtx_text_format(path, "%s/.dtx-calibrate-XXXXXX", folder);
    if (path->failed) {
        return dtx_error_memory(err);
    }
    *fd_out = mkstemp(path->data);
    if (*fd_out < 0) {
        return dtx_file_error(err, DTX_ERR_TARGET, "make a file in", folder,
                              errno);
    }
    return DTX_OK;
}

enum dtx_status
dtx_trial_open(const char *folder, struct dtx_trial *trial_out,
               struct dtx_error *err)
{
    struct dtx_text path = {0};
    enum dtx_status status;

    *trial_out = (struct dtx_trial){.fd = -1, .folder = folder};
    status = make_file(folder, &path, &trial_out->fd, err);
    if (status == DTX_OK) {
        (void)dtx_file_remove(path.data);
    }
    dtx_text_finish(&path);
    return status;
}

void
dtx_trial_close(struct dtx_trial *trial)
{
    if (trial->fd >= 0) {
        close(trial->fd);
    }
    trial->fd = -1;
}

enum dtx_status
dtx_trial_write(const struct dtx_trial *trial,
                const struct dtx_trial_range *range, const void *buffer,
                struct dtx_error *err)
{
    for (uint64_t i = 0; i < range->piece_count; i++) {
        int code = dtx_file_write_at(trial->fd, buffer, range->piece_bytes,
                                     i * range->stride);

        if (code != 0) {
            return dtx_file_error(err, DTX_ERR_TARGET, "write to",
                                  trial->folder, code);
        }
    }
    return DTX_OK;
}

enum dtx_status
dtx_trial_fill(const struct dtx_trial *trial,
               const struct dtx_trial_range *range, const void *buffer,
               struct dtx_error *err)
{
    uint64_t bytes = range->piece_count * range->stride;
    int code = dtx_file_set_length(trial->fd, 0);
    enum dtx_status status;

    if (code != 0) {
        return dtx_file_error(err, DTX_ERR_TARGET, "write to", trial->folder,
                              code);
    }
    status = dtx_file_reserve(trial->fd, bytes, trial->folder, err);
    if (status == DTX_OK) {
        status = dtx_trial_write(trial, range, buffer, err);
    }
    return status == DTX_OK ? dtx_file_sync(trial->fd, trial->folder, err)
                            : status;
}

enum dtx_status
dtx_trial_read(const struct dtx_trial *trial,
               const struct dtx_trial_range *range, void *buffer,
               struct dtx_error *err)
{
    for (uint64_t i = 0; i < range->piece_count; i++) {
        int code = dtx_file_read_at(trial->fd, buffer, range->piece_bytes,
                                    i * range->stride);

        if (code != 0) {
            return dtx_file_error(err, DTX_ERR_TARGET, "read from",
                                  trial->folder,
                                  code == DTX_FILE_ENDS ? EIO : code);
        }
    }
    return DTX_OK;
}

void
dtx_trial_forget(const struct dtx_trial *trial)
{
    (void)posix_fadvise(trial->fd, 0, 0, POSIX_FADV_DONTNEED);
}

enum dtx_status
dtx_trial_make_files(const struct dtx_trial *trial, uint64_t count,
                     struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;

    for (uint64_t i = 0; i < count && status == DTX_OK; i++) {
        struct dtx_text path = {0};
        int fd = -1;

        status = make_file(trial->folder, &path, &fd, err);
        if (status == DTX_OK) {
            close(fd);
            status = dtx_file_write_text(path.data, "dtx\n", err);
            (void)dtx_file_remove(path.data);
        }
        dtx_text_finish(&path);
    }
    return status;
}

/* Describes a file of datasets, as a plan does; NULL when out of memory. */
static struct dtx_target_file *
describe_datasets(struct dtx_arena *arena, const char *path, uint64_t count)
{
    static const int64_t shape[] = {8, 8};
    struct dtx_target_file *file = dtx_arena_alloc(arena, 1, sizeof *file);
    struct dtx_target_dataset *datasets =
        dtx_arena_alloc(arena, (size_t)count, sizeof *datasets);

    if (file == NULL || datasets == NULL) {
        return NULL;
    }
    *file = (struct dtx_target_file){.path = path,
                                     .temporary = path,
                                     .create = true,
                                     .dataset_count = (int)count,
                                     .datasets = datasets};
    for (uint64_t i = 0; i < count; i++) {
        datasets[i] = (struct dtx_target_dataset){
            .path = dtx_arena_format(arena, "layers.%d.weight", (int)i),
            .type = dtx_type_of(DTX_FLOAT32),
            .ndim = 2,
            .shape = shape,
            .source_dataset = -1};
        if (datasets[i].path == NULL) {
            return NULL;
        }
    }
    return file;
}

/* Makes a file of datasets, and makes it durable. */
static enum dtx_status
make_target(struct dtx_target_file *file, struct dtx_error *err)
{
    struct dtx_storage *storage;
    enum dtx_status status = dtx_storage_create(&storage, err);

    if (status != DTX_OK) {
        return status;
    }
    status = storage->ops->create(storage, file, err);
    if (status == DTX_OK) {
        status = storage->ops->close(storage, file, err);
    } else {
        storage->ops->abandon(storage, file);
    }
    storage->ops->destroy(storage);
    return status;
}

enum dtx_status
dtx_trial_make_datasets(const struct dtx_trial *trial, uint64_t count,
                        struct dtx_error *err)
{
    struct dtx_arena arena = {0};
    struct dtx_text path = {0};
    struct dtx_target_file *file;
    int fd = -1;
    enum dtx_status status = make_file(trial->folder, &path, &fd, err);

    if (status == DTX_OK) {
        close(fd);
        file = describe_datasets(&arena, path.data, count);
        status = file == NULL ? dtx_error_memory(err) : make_target(file, err);
        (void)dtx_file_remove(path.data);
    }
    dtx_text_finish(&path);
    dtx_arena_finish(&arena);
    return status;
}
