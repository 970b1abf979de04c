#include "storage/files.h"
#include "storage/hdf5/hdf5_box.h"
#include "storage/hdf5/hdf5_driver.h"
#include "storage/hdf5/hdf5_internal.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/row_walk.h"
#include "util/error.h"

static enum dtx_status
write_contiguous(struct dtx_hdf5_storage *storage,
                 const struct dtx_target_file *file,
                 const struct dtx_target_dataset *d, struct dtx_row_walk *walk,
                 const char *buffer, struct dtx_error *err)
{
    enum dtx_status status;
    uint64_t offset;
    int64_t i;
    int code = 0;
    int fd;

    status = dtx_fd_acquire(&storage->writers, file, file->temporary, &fd, err);
    if (status != DTX_OK) {
        return status;
    }
    while (code == 0 && dtx_row_walk_next(walk, &offset)) {
        offset += d->offset;
        for (i = 0; i < walk->run_count && code == 0; i++) {
            code = dtx_file_write_at(fd, buffer, walk->run_bytes, offset);
            buffer += walk->run_bytes;
            offset += walk->stride_bytes;
        }
    }
    dtx_fd_release(&storage->writers, file);
    if (code != 0) {
        return dtx_file_error(err, DTX_ERR_TARGET, "write", file->temporary,
                              code);
    }
    return DTX_OK;
}

static herr_t
write_part(const struct dtx_hdf5_dataset *open, hid_t memory_space,
           hid_t file_space, void *context)
{
    const void *const *buffer = context;

    return H5Dwrite(open->id, open->type, memory_space, file_space, H5P_DEFAULT,
                    *buffer);
}

/* Under the lock. */
static enum dtx_status
write_stored(struct dtx_hdf5_storage *storage,
             const struct dtx_target_file *file, int index, const int64_t *lo,
             const int64_t *len, const void *buffer, struct dtx_error *err)
{
    const struct dtx_target_dataset *d = &file->datasets[index];
    struct dtx_hdf5_name name = {file, file->temporary, index, d->path};
    struct dtx_hdf5_box box = {d->ndim, d->shape, lo, len, d->type.size_bytes};
    const struct dtx_hdf5_dataset *open;
    enum dtx_status status;

    status = dtx_hdf5_use_dataset(&storage->targets, name, &open, err);
    if (status != DTX_OK) {
        return status;
    }
    if (dtx_hdf5_move_parts(open, &box, write_part, &buffer) < 0) {
        status = dtx_hdf5_fail(err, DTX_ERR_TARGET,
                               "cannot write dataset '%s' of '%s'", d->path,
                               file->temporary);
        dtx_hdf5_abandon(open->id);
    }
    return status;
}

enum dtx_status
dtx_hdf5_write(struct dtx_storage *storage, const struct dtx_target_file *file,
               int dataset, const int64_t *lo, const int64_t *len,
               const void *buffer, struct dtx_error *err)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;
    const struct dtx_target_dataset *d = &file->datasets[dataset];
    struct dtx_row_walk walk;
    enum dtx_status status;

    dtx_row_walk_init(&walk, d->ndim, d->shape, lo, len, d->type.size_bytes);
    if (walk.is_done) {
        return DTX_OK; /* an empty box */
    }
    if (d->offset != 0) {
        return write_contiguous(self, file, d, &walk, buffer, err);
    }
    if (!file->create) {
        return dtx_error_set(err, DTX_ERR_TARGET,
                             "cannot write dataset '%s' of '%s': only the "
                             "process that makes a file can write its "
                             "compressed datasets",
                             d->path, file->path);
    }
    dtx_hdf5_lock();
    status = write_stored(self, file, dataset, lo, len, buffer, err);
    dtx_hdf5_unlock();
    return status;
}

enum dtx_status
dtx_hdf5_sync(struct dtx_storage *storage, const struct dtx_target_file *file,
              struct dtx_error *err)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;
    enum dtx_status status;
    int fd;

    if (dtx_hdf5_is_stored(file)) {
        return DTX_OK;
    }
    status = dtx_fd_acquire(&self->writers, file, file->temporary, &fd, err);
    if (status == DTX_OK) {
        status = dtx_file_sync(fd, file->temporary, err);
        dtx_fd_release(&self->writers, file);
    }
    return status == DTX_OK ? dtx_file_sync_folder(file->temporary, err)
                            : status;
}

enum dtx_status
dtx_hdf5_close(struct dtx_storage *storage, const struct dtx_target_file *file,
               struct dtx_error *err)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;
    enum dtx_status status;
    int fd;

    dtx_hdf5_lock();
    status = dtx_hdf5_drop_file(&self->targets, file, err);
    dtx_hdf5_unlock();
    if (status == DTX_OK) {
        status =
            dtx_fd_acquire(&self->writers, file, file->temporary, &fd, err);
    }
    if (status == DTX_OK) {
        status = dtx_file_sync(fd, file->temporary, err);
        dtx_fd_release(&self->writers, file);
    }
    dtx_fd_drop(&self->writers, file);
    /* a run that is gone on with takes a file that has lost its temporary name
     * for one in its place */
    return status == DTX_OK && file->create
               ? dtx_file_sync_folder(file->temporary, err)
               : status;
}

void
dtx_hdf5_leave(struct dtx_storage *storage, const struct dtx_target_file *file)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;
    struct dtx_error ignored;

    dtx_hdf5_lock();
    (void)!dtx_hdf5_drop_file(&self->targets, file, &ignored);
    dtx_hdf5_unlock();
    dtx_fd_drop(&self->writers, file);
}
