#include "storage/hdf5/hdf5_close.h"

#include "storage/files.h"
#include "storage/hdf5/hdf5_driver.h"
#include "storage/hdf5/hdf5_library.h"

static enum dtx_status
reserve(hid_t object, const char *path, struct dtx_error *err)
{
    hid_t file = H5Iget_file_id(object);
    enum dtx_status status = DTX_OK;
    void *handle = NULL; /* a descriptor's address */
    hsize_t bytes;

    if (file < 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 ||
        H5Fget_filesize(file, &bytes) < 0) {
        status = dtx_hdf5_fail(err, DTX_ERR_TARGET, "cannot write '%s'", path);
    } else {
        status = dtx_file_reserve(*(const int *)handle, bytes, path, err);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    return status;
}

/* Has a dataset's chunks written now. */
static enum dtx_status
flush(hid_t object, const char *path, struct dtx_error *err)
{
    int code;

    if (H5Iget_type(object) == H5I_DATASET && H5Dflush(object) < 0) {
        return dtx_hdf5_fail(err, DTX_ERR_TARGET, "cannot write '%s'", path);
    }
    code = dtx_hdf5_failure(object);
    return code == 0 ? DTX_OK
                     : dtx_file_error(err, DTX_ERR_TARGET, "write", path, code);
}

enum dtx_status
dtx_hdf5_before_close(hid_t object, const char *path, struct dtx_error *err)
{
    enum dtx_status status = reserve(object, path, err);

    if (status == DTX_OK) {
        status = flush(object, path, err);
    }
    if (status != DTX_OK) {
        dtx_hdf5_abandon(object);
    }
    return status;
}

static enum dtx_status
close_written(hid_t file, const char *path, struct dtx_error *err)
{
    int code = dtx_hdf5_close_file(file);

    if (code < 0) {
        return dtx_hdf5_fail(err, DTX_ERR_TARGET, "cannot write '%s'", path);
    }
    return code == 0 ? DTX_OK
                     : dtx_file_error(err, DTX_ERR_TARGET, "write", path, code);
}

enum dtx_status
dtx_hdf5_finish(hid_t file, const char *path, enum dtx_status status,
                struct dtx_error *err)
{
    if (status != DTX_OK) {
        dtx_hdf5_abandon(file);
    } else {
        status = dtx_hdf5_before_close(file, path, err);
    }
    if (status != DTX_OK) {
        (void)dtx_hdf5_close_file(file);
        return status;
    }
    return close_written(file, path, err);
}
