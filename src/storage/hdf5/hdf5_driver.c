#define _GNU_SOURCE /* memfd_create, SEEK_DATA */

#include "storage/hdf5/hdf5_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/files.h"
#include "storage/hdf5/hdf5_library.h"
#include "util/alloc.h"
#include "util/error.h"

enum { COPY_BYTES = 1 << 16 };
/* Metadata, mostly; what is left out of more than this only HDF5 misses. */
static const off_t most_copied = (off_t)1 << 26;

/* What HDF5 calls the file's handle. */
struct handle {
    int fd; /* first: HDF5's own drivers have nothing else */
    int failure;
};

struct driver_file {
    H5FD_t base; /* HDF5's, first */
    struct handle handle;
    dev_t device;
    ino_t inode;
    haddr_t eoa, eof;
};

/* Of the file that was opened or closed last; the library's lock is held. */
static int opened_with, closed_with;

/* ---------------------------------------------------------------- memory */

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

/* Puts a copy in memory in the place of an open file. */
static void
go_nowhere(int fd)
{
    int nowhere = memfd_create("dtx-abandoned", MFD_CLOEXEC);

    if (nowhere >= 0) {
        copy_data(fd, nowhere);
        dup2(nowhere, fd);
        close(nowhere);
    }
}

/* Notes a failure, and lets what follows go nowhere. */
static void
fail(struct driver_file *file, int code)
{
    if (file->handle.failure == 0) {
        file->handle.failure = code;
        go_nowhere(file->handle.fd);
    }
}

/* ---------------------------------------------------------------- driver */

static H5FD_t *
open_file(const char *name, unsigned flags, hid_t access, haddr_t address_most)
{
    struct driver_file *file = dtx_alloc(1, sizeof *file);
    int how = (flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY;
    struct stat info;

    (void)access;
    (void)address_most;
    how |= (flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0;
    how |= (flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0;
    how |= (flags & H5F_ACC_EXCL) != 0 ? O_EXCL : 0;
    if (file == NULL) {
        opened_with = ENOMEM;
        return NULL;
    }
    file->handle.fd = open(name, how | O_CLOEXEC | O_NOFOLLOW, 0666);
    opened_with = 0;
    if (file->handle.fd < 0 || fstat(file->handle.fd, &info) != 0) {
        opened_with = errno;
        if (file->handle.fd >= 0) {
            close(file->handle.fd);
        }
        dtx_free(file);
        return NULL;
    }
    file->device = info.st_dev;
    file->inode = info.st_ino;
    file->eof = (haddr_t)info.st_size;
    return &file->base;
}

static struct driver_file *
file_of(const H5FD_t *file)
{
    return (struct driver_file *)(void *)file;
}

static herr_t
close_file(H5FD_t *base)
{
    struct driver_file *file = file_of(base);

    if (close(file->handle.fd) != 0 && file->handle.failure == 0) {
        file->handle.failure = errno;
    }
    closed_with = file->handle.failure;
    dtx_free(file);
    return 0;
}

static int
order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int
compare(const H5FD_t *a, const H5FD_t *b)
{
    int devices = order(file_of(a)->device, file_of(b)->device);

    return devices != 0 ? devices : order(file_of(a)->inode, file_of(b)->inode);
}

/* As HDF5's own driver for plain files, whose files these are. */
static herr_t
query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
             H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t
get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return file_of(file)->eoa;
}

static herr_t
set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    file_of(file)->eoa = address;
    return 0;
}

static haddr_t
get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return file_of(file)->eof;
}

static herr_t
get_handle(H5FD_t *file, hid_t access, void **handle_out)
{
    (void)access;
    *handle_out = &file_of(file)->handle;
    return 0;
}

/* How many of the bytes at an address the file has; what stands beyond its end
 * reads as zeros. */
static size_t
bytes_there(const struct driver_file *file, haddr_t address, size_t bytes)
{
    return address >= file->eof          ? 0
           : file->eof - address < bytes ? (size_t)(file->eof - address)
                                         : bytes;
}

static herr_t
read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
           size_t bytes, void *buffer)
{
    struct driver_file *file = file_of(base);
    size_t there = bytes_there(file, address, bytes);
    int code;

    (void)type;
    (void)transfer;
    memset(buffer, 0, bytes);
    code = dtx_file_read_at(file->handle.fd, buffer, there, address);
    if (code > 0) {
        fail(file, code);
        (void)dtx_file_read_at(file->handle.fd, buffer, there, address);
    }
    return 0;
}

static herr_t
write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
            size_t bytes, const void *buffer)
{
    struct driver_file *file = file_of(base);
    int code = dtx_file_write_at(file->handle.fd, buffer, bytes, address);

    (void)type;
    (void)transfer;
    if (code != 0) {
        fail(file, code);
        (void)dtx_file_write_at(file->handle.fd, buffer, bytes, address);
    }
    if (address + bytes > file->eof) {
        file->eof = address + bytes;
    }
    return 0;
}

static herr_t
cut(H5FD_t *base, hid_t transfer, hbool_t is_closing)
{
    struct driver_file *file = file_of(base);

    int code = file->eoa == file->eof
                   ? 0
                   : dtx_file_set_length(file->handle.fd, file->eoa);

    (void)transfer;
    (void)is_closing;
    if (code != 0) {
        fail(file, code);
        (void)dtx_file_set_length(file->handle.fd, file->eoa);
    }
    file->eof = file->eoa;
    return 0;
}

static const H5FD_class_t driver = {
    .name = "dtx",
    .maxaddr = ((haddr_t)1 << 63) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .open = open_file,
    .close = close_file,
    .cmp = compare,
    .query = query,
    .get_eoa = get_eoa,
    .set_eoa = set_eoa,
    .get_eof = get_eof,
    .get_handle = get_handle,
    .read = read_bytes,
    .write = write_bytes,
    .truncate = cut,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* ---------------------------------------------------------------- sources */

/* Tells HDF5 why a call failed; it adds what it was about. */
static void
give_reason(const char *reason)
{
    (void)H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS,
                   H5E_VFL, H5E_SYSERRSTR, "%s", reason);
}

static void
give_errno(int code)
{
    char text[DTX_REASON_TEXT];

    give_reason(dtx_file_reason(code, text));
}

static H5FD_t *
open_source(const char *name, unsigned flags, hid_t access,
            haddr_t address_most)
{
    struct driver_file *file;
    const char *reason;
    struct stat info;
    int fd;

    (void)flags;
    (void)access;
    (void)address_most;
    opened_with = 0;
    fd = dtx_file_open_regular(name, &info, &reason);
    if (fd < 0) {
        give_reason(reason);
        return NULL;
    }
    file = dtx_alloc(1, sizeof *file);
    if (file == NULL) {
        opened_with = ENOMEM;
        close(fd);
        return NULL;
    }
    file->handle.fd = fd;
    file->device = info.st_dev;
    file->inode = info.st_ino;
    file->eof = (haddr_t)info.st_size;
    return &file->base;
}

static herr_t
read_source(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
            size_t bytes, void *buffer)
{
    const struct driver_file *file = file_of(base);
    size_t there = bytes_there(file, address, bytes);
    int code;

    (void)type;
    (void)transfer;
    memset(buffer, 0, bytes);
    code = dtx_file_read_at(file->handle.fd, buffer, there, address);
    if (code > 0) {
        give_errno(code);
        return -1;
    }
    return 0;
}

/* HDF5 asks for none, of a file that is only read. */
static herr_t
refuse_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
             size_t bytes, const void *buffer)
{
    (void)base;
    (void)type;
    (void)transfer;
    (void)address;
    (void)bytes;
    (void)buffer;
    return -1;
}

/* As HDF5's own driver: whoever writes the file has it locked. */
static herr_t
lock_source(H5FD_t *base, hbool_t writes)
{
    (void)writes;
    if (flock(file_of(base)->handle.fd, LOCK_SH | LOCK_NB) != 0 &&
        errno != ENOSYS) {
        give_errno(errno);
        return -1;
    }
    return 0;
}

static herr_t
unlock_source(H5FD_t *base)
{
    (void)flock(file_of(base)->handle.fd, LOCK_UN);
    return 0;
}

static const H5FD_class_t source_driver = {
    .name = "dtx-source",
    .maxaddr = ((haddr_t)1 << 63) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .open = open_source,
    .close = close_file,
    .cmp = compare,
    .query = query,
    .get_eoa = get_eoa,
    .set_eoa = set_eoa,
    .get_eof = get_eof,
    .get_handle = get_handle,
    .read = read_source,
    .write = refuse_write,
    .lock = lock_source,
    .unlock = unlock_source,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* ---------------------------------------------------------------- visible */

herr_t
dtx_hdf5_use_source_driver(hid_t access)
{
    static hid_t id = H5I_INVALID_HID;

    if (id < 0) {
        id = H5FDregister(&source_driver);
    }
    return id < 0 ? -1 : H5Pset_driver(access, id, NULL);
}

herr_t
dtx_hdf5_use_driver(hid_t access)
{
    static hid_t id = H5I_INVALID_HID;

    if (id < 0) {
        id = H5FDregister(&driver);
    }
    return id < 0 ? -1 : H5Pset_driver(access, id, NULL);
}

/* The handle of an object's file, which is this driver's; NULL on failure. */
static struct handle *
handle_of(hid_t object)
{
    hid_t file = H5Iget_file_id(object);
    void *handle = NULL;

    if (file >= 0) {
        if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) {
            handle = NULL;
        }
        H5Fclose(file);
    }
    return handle;
}

void
dtx_hdf5_abandon(hid_t object)
{
    struct handle *handle = handle_of(object);

    if (handle != NULL) {
        go_nowhere(handle->fd);
    }
}

enum dtx_status
dtx_hdf5_open_failed(enum dtx_status status, const char *verb, const char *path,
                     struct dtx_error *err)
{
    switch (opened_with) {
    case 0: /* the system had no part in it */
        return dtx_hdf5_fail(err, status, "cannot %s '%s'", verb, path);
    case ENOMEM:
        return dtx_error_memory(err);
    default:
        return dtx_file_error(err, status, verb, path, opened_with);
    }
}

int
dtx_hdf5_failure(hid_t object)
{
    const struct handle *handle = handle_of(object);

    return handle == NULL ? 0 : handle->failure;
}

int
dtx_hdf5_close_file(hid_t file)
{
    closed_with = 0;
    return H5Fclose(file) < 0 ? -1 : closed_with;
}
