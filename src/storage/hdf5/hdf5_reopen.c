/*
 * Going on with a target's file that an earlier run made: is it what this run
 * would have made, and where do its datasets stand?
 */
#include "storage/files.h"
#include "storage/hdf5/hdf5_internal.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_open.h"
#include "storage/hdf5/hdf5_types.h"
#include "storage/stop.h"
#include "util/error.h"

static enum dtx_status
refuse(const struct dtx_target_file *file, const struct dtx_target_dataset *d,
       struct dtx_error *err)
{
    return dtx_error_set(err, DTX_ERR_TARGET,
                         "cannot go on with '%s': dataset '%s' isn't what it "
                         "was",
                         file->temporary, d->path);
}

static bool
has_shape(hid_t id, const struct dtx_target_dataset *d)
{
    hsize_t dims[H5S_MAX_RANK];
    hid_t space = H5Dget_space(id);
    int ndim = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dims, NULL);
    int i;

    if (space >= 0) {
        H5Sclose(space);
    }
    for (i = 0; i < ndim && i < d->ndim; i++) {
        if (dims[i] != (hsize_t)d->shape[i]) {
            return false;
        }
    }
    return ndim == d->ndim;
}

static bool
has_type(const struct dtx_hdf5_storage *storage, hid_t id,
         const struct dtx_target_dataset *d)
{
    const struct dtx_raw_type *raw =
        d->type.dtype == DTX_RAW
            ? &storage->catalog->raw_types[d->type.raw_index]
            : NULL;
    hid_t found = H5Dget_type(id);
    hid_t expected = found < 0 ? -1 : dtx_hdf5_make_type(d->type, raw);
    bool is_equal = expected >= 0 && H5Tequal(found, expected) > 0;

    if (expected >= 0) {
        H5Tclose(expected);
    }
    if (found >= 0) {
        H5Tclose(found);
    }
    return is_equal;
}

static enum dtx_status
find_dataset(const struct dtx_hdf5_storage *storage, hid_t file_id,
             const struct dtx_target_file *file, struct dtx_target_dataset *d,
             struct dtx_error *err)
{
    hid_t id = H5Dopen2(file_id, d->path, H5P_DEFAULT);
    enum dtx_status status = DTX_OK;
    haddr_t offset;

    if (id < 0) {
        return refuse(file, d, err);
    }
    offset = file->view == NULL ? H5Dget_offset(id) : HADDR_UNDEF;
    if (has_shape(id, d) && has_type(storage, id, d)) {
        d->offset = offset == HADDR_UNDEF ? 0 : offset;
    } else {
        status = refuse(file, d, err);
    }
    H5Dclose(id);
    return status;
}

/* Under the lock. */
static enum dtx_status
find_datasets(const struct dtx_hdf5_storage *storage,
              struct dtx_target_file *file, struct dtx_error *err)
{
    enum dtx_status status;
    hid_t id;
    int i;

    status = dtx_hdf5_open_source(file->temporary, &id, NULL, err);
    if (status != DTX_OK) {
        err->status = DTX_ERR_TARGET;
        return DTX_ERR_TARGET;
    }
    for (i = 0; i < file->dataset_count && status == DTX_OK; i++) {
        status = find_dataset(storage, id, file, &file->datasets[i], err);
        status = status == DTX_OK ? dtx_stop_heard(err) : status;
    }
    H5Fclose(id);
    return status;
}

enum dtx_status
dtx_hdf5_reopen(struct dtx_storage *storage, struct dtx_target_file *file,
                struct dtx_error *err)
{
    enum dtx_status status;

    dtx_hdf5_lock();
    status = find_datasets((struct dtx_hdf5_storage *)storage, file, err);
    dtx_hdf5_unlock();
    if (status != DTX_OK && status != DTX_ERR_INTERRUPTED) {
        dtx_error_hint(err, "without --resume the run starts over");
    }
    return status;
}
