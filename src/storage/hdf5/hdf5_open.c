#include "storage/hdf5/hdf5_open.h"

#include <string.h>
#include <unistd.h>

#include "storage/files.h"
#include "storage/hdf5/hdf5_driver.h"
#include "util/error.h"

/* By which a file in memory grows. */
enum { MEMORY_STEP_BYTES = 1 << 16 };

/* Locks as HDF5 does by itself, but not where a file system has no locks. */
hid_t
dtx_hdf5_access(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    if (access >= 0 && H5Pset_file_locking(access, 1, 1) < 0) {
        H5Pclose(access);
        return -1;
    }
    return access;
}

const char dtx_hdf5_memory_name[] = "/dev/null/memory";

hid_t
dtx_hdf5_memory_access(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    if (access >= 0 &&
        (H5Pset_fapl_core(access, MEMORY_STEP_BYTES, false) < 0 ||
         H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0)) {
        H5Pclose(access);
        return -1;
    }
    return access;
}

/* HDF5's signature stands at 0, 512, 1024, 2048, … */
static bool
has_signature(int fd, uint64_t bytes)
{
    static const char signature[] = "\211HDF\r\n\032\n";
    char found[8];
    uint64_t offset = 0;

    while (offset + sizeof found <= bytes) {
        if (dtx_file_read_at(fd, found, sizeof found, offset) == 0 &&
            memcmp(found, signature, sizeof found) == 0) {
            return true;
        }
        offset = offset == 0 ? 512 : offset * 2;
    }
    return false;
}

/* Says what another program's file looks like. */
static void
hint_kind(int fd, uint64_t bytes, struct dtx_error *err)
{
    char start[9] = {0};

    if (bytes < sizeof start ||
        dtx_file_read_at(fd, start, sizeof start, 0) != 0) {
        return;
    }
    if (memcmp(start, "PK\003\004", 4) == 0) {
        dtx_error_hint(err, "it looks like a file of torch.save or numpy.savez "
                            "(a zip archive)");
    } else if (memcmp(start + 7, "\0{", 2) == 0) {
        dtx_error_hint(err, "it looks like a safetensors file");
    }
}

static enum dtx_status
check_signature(const char *path, uint64_t *bytes_out, struct dtx_error *err)
{
    enum dtx_status status;
    uint64_t bytes;
    int fd;

    status = dtx_file_open_source(path, &fd, &bytes, err);
    if (status != DTX_OK) {
        return status;
    }
    if (bytes == 0) {
        status = dtx_error_set(err, DTX_ERR_SOURCE,
                               "cannot read '%s': the file is empty", path);
    } else if (!has_signature(fd, bytes)) {
        status = dtx_error_set(err, DTX_ERR_SOURCE,
                               "cannot read '%s': it is no HDF5 file", path);
        hint_kind(fd, bytes, err);
    }
    close(fd);
    if (status == DTX_OK && bytes_out != NULL) {
        *bytes_out = bytes;
    }
    return status;
}

enum dtx_status
dtx_hdf5_open_source(const char *path, hid_t *file_out, uint64_t *bytes_out,
                     struct dtx_error *err)
{
    enum dtx_status status = check_signature(path, bytes_out, err);
    hid_t access;

    if (status != DTX_OK) {
        return status;
    }
    access = dtx_hdf5_access();
    if (access < 0 || dtx_hdf5_use_source_driver(access) < 0) {
        status = dtx_error_memory(err);
    } else {
        *file_out = H5Fopen(path, H5F_ACC_RDONLY, access);
        if (*file_out < 0) {
            status = dtx_hdf5_open_failed(DTX_ERR_SOURCE, "open", path, err);
        }
    }
    if (access >= 0) {
        H5Pclose(access);
    }
    return status;
}

enum dtx_status
dtx_hdf5_open_target(const char *path, hid_t *file_out, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    hid_t access = dtx_hdf5_access();

    if (access < 0 || dtx_hdf5_use_driver(access) < 0) {
        status = dtx_error_memory(err);
    } else {
        *file_out = H5Fopen(path, H5F_ACC_RDWR, access);
        if (*file_out < 0) {
            status = dtx_hdf5_open_failed(DTX_ERR_TARGET, "open", path, err);
        }
    }
    if (access >= 0) {
        H5Pclose(access);
    }
    return status;
}
