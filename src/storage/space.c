/*
 * Room on the device: asked before a file is made, and reserved after, so
 * that a full disk shows before any tensor has been moved.
 */
#define _GNU_SOURCE /* fallocate: posix_fallocate writes where it can't */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "storage/files.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/size.h"

static enum dtx_status
no_space(const char *path, uint64_t needed, struct dtx_error *err)
{
    char size[DTX_SIZE_TEXT];

    dtx_file_error(err, DTX_ERR_TARGET, "create", path, ENOSPC);
    dtx_error_hint(err, "it needs %s", dtx_size_format(needed, size));
    return DTX_ERR_TARGET;
}

enum dtx_status
dtx_file_reserve(int fd, uint64_t bytes, const char *path,
                 struct dtx_error *err)
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
            return no_space(path, bytes, err);
        default:
            return dtx_file_error(err, DTX_ERR_TARGET, "create", path, errno);
        }
    }
    return DTX_OK;
}

enum dtx_status
dtx_file_check_space(const char *path, uint64_t bytes, struct dtx_error *err)
{
    struct statvfs info;
    const char *slash = strrchr(path, '/');
    char *folder = dtx_strdup(slash == NULL ? "." : path);
    int answer;

    if (folder == NULL) {
        return dtx_error_memory(err);
    }
    if (slash != NULL) {
        folder[slash - path + 1] = '\0';
    }
    answer = statvfs(folder, &info);
    dtx_free(folder);
    /* no blocks at all: a file system that doesn't count them */
    if (answer != 0 || info.f_blocks == 0 || info.f_frsize == 0) {
        return DTX_OK;
    }
    /* f_bfree: what is kept for the administrator may be ours */
    if (bytes / info.f_frsize > info.f_bfree) {
        return no_space(path, bytes, err);
    }
    return DTX_OK;
}
