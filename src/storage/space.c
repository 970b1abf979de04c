/*
 * Room on the device: asked before a file is made, and reserved after, so
 * that a full disk shows before any tensor has been moved.
 */
#define _GNU_SOURCE /* fallocate: posix_fallocate writes where it can't */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "storage/files.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/size.h"

static enum dtx_status
no_space(const char *path, uint64_t needed, int code, struct dtx_error *err)
{
    char size[DTX_SIZE_TEXT];

    dtx_file_error(err, DTX_ERR_TARGET, "create", path, code);
    dtx_error_hint(err, "it needs %s", dtx_size_format(needed, size));
    return DTX_ERR_TARGET;
}

static enum dtx_status
reserve(int fd, uint64_t bytes, const char *path, struct dtx_error *err)
{
    if (bytes == 0) {
        return DTX_OK;
    }
    while (fallocate(fd, 0, 0, (off_t)bytes) != 0) {
        switch (errno) {
        case EINTR:
            continue;
        case EOPNOTSUPP:
        case ENOSYS:
        case EINVAL:
            return DTX_OK;
        case ENOSPC:
            return no_space(path, bytes, ENOSPC, err);
        default:
            return dtx_file_error(err, DTX_ERR_TARGET, "create", path, errno);
        }
    }
    return DTX_OK;
}

/* Where a reserved page is filled twice: for the reservation, and by the
 * write. */
static bool
is_in_memory(int fd)
{
    struct statfs system;

    return fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

static enum dtx_status
lengthen(int fd, uint64_t bytes, const char *path, struct dtx_error *err)
{
    struct stat info;
    int code = fstat(fd, &info) == 0 ? 0 : errno;

    if (code == 0 && (uint64_t)info.st_size < bytes) {
        code = dtx_file_set_length(fd, bytes);
    }
    return code == 0
               ? DTX_OK
               : dtx_file_error(err, DTX_ERR_TARGET, "create", path, code);
}

enum dtx_status
dtx_file_reserve(int fd, uint64_t bytes, const char *path,
                 struct dtx_error *err)
{
    return is_in_memory(fd) ? lengthen(fd, bytes, path, err)
                            : reserve(fd, bytes, path, err);
}

/* Cuts a path to the deepest folder above it that is there; "" is the current
 * one. */
static void
find_folder(char *path, struct stat *info)
{
    char *slash;

    do {
        slash = strrchr(path, '/');
        if (slash == NULL) {
            path[0] = '\0';
        } else {
            slash[slash == path ? 1 : 0] = '\0';
        }
        if (stat(path[0] == '\0' ? "." : path, info) == 0) {
            return;
        }
    } while (path[0] != '\0' && strcmp(path, "/") != 0);
}

bool
dtx_file_space(const char *path, uint64_t *system_out, uint64_t *free_out)
{
    char *folder = dtx_strdup(path);
    struct stat info = {0};
    struct statvfs space;
    int answer;

    if (folder == NULL) {
        return false;
    }
    find_folder(folder, &info);
    answer = statvfs(folder[0] == '\0' ? "." : folder, &space);
    dtx_free(folder);
    /* no blocks at all: a file system that doesn't count them */
    if (answer != 0 || space.f_blocks == 0 || space.f_frsize == 0) {
        return false;
    }
    *system_out = (uint64_t)info.st_dev;
    /* f_bfree: what is kept for the administrator may be ours */
    *free_out = (uint64_t)space.f_bfree * space.f_frsize;
    return true;
}

uint64_t
dtx_file_holes(const char *path)
{
    struct stat info;
    uint64_t length, filled;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return 0;
    }
    length = (uint64_t)info.st_size;
    filled = (uint64_t)info.st_blocks * 512; /* whatever the block size */
    return length > filled ? length - filled : 0;
}

enum dtx_status
dtx_file_check_space(const char *path, uint64_t bytes, struct dtx_error *err)
{
    uint64_t system, available;
    struct rlimit length;

    if (getrlimit(RLIMIT_FSIZE, &length) == 0 &&
        length.rlim_cur != RLIM_INFINITY && bytes > length.rlim_cur) {
        return no_space(path, bytes, EFBIG, err);
    }
    if (dtx_file_space(path, &system, &available) && bytes > available) {
        return no_space(path, bytes, ENOSPC, err);
    }
    return DTX_OK;
}
