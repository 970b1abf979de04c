#define _GNU_SOURCE /* memfd_create, SEEK_DATA */

#include "storage/hdf5_abandon.h"

#include <sys/mman.h>
#include <unistd.h>

#include "storage/files.h"
#include "storage/hdf5_library.h"

enum { COPY_BYTES = 1 << 16 };
/* Metadata, mostly; what is left out of more than this only HDF5 misses. */
static const off_t most_copied = (off_t)1 << 26;

/* The descriptor that HDF5 has for a file, or -1. */
static int
descriptor(hid_t file)
{
    void *handle;

    if (file < 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) {
        return -1;
    }
    return *(const int *)handle;
}

/* Copies what a file has, but not its holes: HDF5 reads metadata back while
 * it closes. As far as it goes. */
static void
copy_data(int from, int to)
{
    char buffer[COPY_BYTES];
    off_t at = lseek(from, 0, SEEK_DATA);
    off_t left = most_copied;
    ssize_t count;

    while (at >= 0 && left > 0) {
        count = pread(from, buffer, sizeof buffer, at);
        if (count <= 0 || pwrite(to, buffer, (size_t)count, at) != count) {
            return;
        }
        left -= count;
        at = lseek(from, at + count, SEEK_DATA);
    }
}

void
dtx_hdf5_abandon(hid_t object)
{
    hid_t file = H5Iget_file_id(object);
    int fd = descriptor(file);
    int nowhere = fd < 0 ? -1 : memfd_create("dtx-abandoned", MFD_CLOEXEC);

    if (nowhere >= 0) {
        copy_data(fd, nowhere);
        dup2(nowhere, fd);
        close(nowhere);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
}

static enum dtx_status
reserve(hid_t object, const char *path, struct dtx_error *err)
{
    hid_t file = H5Iget_file_id(object);
    int fd = descriptor(file);
    enum dtx_status status = DTX_OK;
    hsize_t bytes;

    if (fd < 0 || H5Fget_filesize(file, &bytes) < 0) {
        status = dtx_hdf5_fail(err, DTX_ERR_TARGET, "cannot write '%s'", path);
    } else {
        status = dtx_file_reserve(fd, bytes, path, err);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    return status;
}

enum dtx_status
dtx_hdf5_before_close(hid_t object, const char *path, struct dtx_error *err)
{
    enum dtx_status status = reserve(object, path, err);

    if (status == DTX_OK && H5Iget_type(object) == H5I_DATASET &&
        H5Dflush(object) < 0) {
        status = dtx_hdf5_fail(err, DTX_ERR_TARGET, "cannot write '%s'", path);
    }
    if (status != DTX_OK) {
        dtx_hdf5_abandon(object);
    }
    return status;
}
