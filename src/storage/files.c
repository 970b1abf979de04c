#include "storage/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

void
dtx_lower_initial(char *text)
{
    if (text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z') {
        text[0] = (char)(text[0] - 'A' + 'a');
    }
}

char *
dtx_file_reason(int code, char *text)
{
    if (strerror_r(code, text, DTX_REASON_TEXT) != 0) {
        snprintf(text, DTX_REASON_TEXT, "error %d", code);
    }
    dtx_lower_initial(text);
    return text;
}

enum dtx_status
dtx_file_error(struct dtx_error *err, enum dtx_status status, const char *verb,
               const char *path, int code)
{
    char reason[DTX_REASON_TEXT];

    return dtx_error_set(err, status, "cannot %s '%s': %s", verb, path,
                         dtx_file_reason(code, reason));
}

/* NULL for a regular file, else what stands there instead. */
static const char *
what_else(mode_t mode)
{
    if (S_ISREG(mode)) {
        return NULL;
    }
    if (S_ISDIR(mode)) {
        return "it is a folder";
    }
    return "it is no regular file";
}

int
dtx_file_open_regular(const char *path, struct stat *info_out,
                      const char **reason_out)
{
    static _Thread_local char reason[DTX_REASON_TEXT];
    const char *else_is;
    /* without O_NONBLOCK a pipe that stands here would be waited for */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0 || fstat(fd, info_out) != 0) {
        *reason_out = dtx_file_reason(errno, reason);
    } else {
        else_is = what_else(info_out->st_mode);
        if (else_is == NULL) {
            return fd;
        }
        *reason_out = else_is;
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

enum dtx_status
dtx_file_open_source(const char *path, int *fd_out, uint64_t *bytes_out,
                     struct dtx_error *err)
{
    struct stat info;
    const char *reason;
    int fd = dtx_file_open_regular(path, &info, &reason);

    if (fd < 0) {
        return dtx_error_set(err, DTX_ERR_SOURCE, "cannot open '%s': %s", path,
                             reason);
    }
    *fd_out = fd;
    *bytes_out = (uint64_t)info.st_size;
    return DTX_OK;
}

enum dtx_status
dtx_file_open_target(const char *path, int *fd_out, struct dtx_error *err)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0) {
        return dtx_file_error(err, DTX_ERR_TARGET, "open", path, errno);
    }
    *fd_out = fd;
    return DTX_OK;
}

/* Linux moves at most this much (and a bit) in one call. */
static const size_t call_bytes = (size_t)1 << 30;

static size_t
one_call(size_t bytes)
{
    return bytes < call_bytes ? bytes : call_bytes;
}

int
dtx_file_read_at(int fd, void *buffer, size_t bytes, uint64_t offset)
{
    char *to = buffer;
    ssize_t got;

    while (bytes > 0) {
        got = pread(fd, to, one_call(bytes), (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return errno;
        }
        if (got == 0) {
            return DTX_FILE_ENDS;
        }
        to += got;
        bytes -= (size_t)got;
        offset += (uint64_t)got;
    }
    return 0;
}

int
dtx_file_write_at(int fd, const void *buffer, size_t bytes, uint64_t offset)
{
    const char *from = buffer;
    ssize_t put;

    while (bytes > 0) {
        put = pwrite(fd, from, one_call(bytes), (off_t)offset);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return errno;
        }
        from += put;
        bytes -= (size_t)put;
        offset += (uint64_t)put;
    }
    return 0;
}

/* The length of the folder part of a path, with its last slash; 0: none. */
static size_t
folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* The folder that holds a path, for the caller to free; NULL: no memory. */
static char *
folder_of(const char *path)
{
    struct dtx_text text = {0};

    dtx_text_add(&text, folder_length(path) == 0 ? "./" : "");
    dtx_text_add_bytes(&text, path, folder_length(path));
    if (text.failed) {
        dtx_text_finish(&text);
        return NULL;
    }
    return text.data;
}

int
dtx_file_set_length(int fd, uint64_t bytes)
{
    while (ftruncate(fd, (off_t)bytes) != 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* fsync(), over signals. Returns 0 or an errno value. */
static int
sync_whole(int fd)
{
    while (fsync(fd) != 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

enum dtx_status
dtx_file_sync_folder(const char *path, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    char *folder = folder_of(path);
    int code, fd;

    if (folder == NULL) {
        return dtx_error_memory(err);
    }
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        /* a folder may be writable and not readable; then we can't */
        if (errno != EACCES) {
            status = dtx_file_error(err, DTX_ERR_TARGET, "open", folder, errno);
        }
    } else {
        code = sync_whole(fd);
        /* EINVAL: a file system whose folders need no sync */
        if (code != 0 && code != EINVAL) {
            status = dtx_file_error(err, DTX_ERR_TARGET, "sync", folder, code);
        }
        close(fd);
    }
    dtx_free(folder);
    return status;
}

static bool
is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static enum dtx_status
make_folder(const char *path, struct dtx_names *made, struct dtx_error *err)
{
    int code;

    if (mkdir(path, 0777) == 0) {
        if (made != NULL && dtx_names_add(made, path) < 0) {
            rmdir(path);
            return dtx_error_memory(err);
        }
        return dtx_file_sync_folder(path, err);
    }
    code = errno;
    /* some file systems refuse before they look whether it is there */
    if (is_folder(path)) {
        return DTX_OK;
    }
    if (code == EEXIST) {
        code = ENOTDIR;
    }
    return dtx_file_error(err, DTX_ERR_TARGET, "make folder", path, code);
}

enum dtx_status
dtx_file_make_folders(const char *path, struct dtx_names *made,
                      struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    char *folder;
    size_t i;

    if (folder_length(path) == 0) {
        return DTX_OK;
    }
    folder = folder_of(path);
    if (folder == NULL) {
        return dtx_error_memory(err);
    }
    folder[folder_length(path) - 1] = '\0';
    if (folder[0] != '\0' && !is_folder(folder)) {
        for (i = 1; status == DTX_OK && folder[i] != '\0'; i++) {
            if (folder[i] == '/') {
                folder[i] = '\0';
                status = make_folder(folder, made, err);
                folder[i] = '/';
            }
        }
        if (status == DTX_OK) {
            status = make_folder(folder, made, err);
        }
    }
    dtx_free(folder);
    return status;
}

void
dtx_file_remove_folders(struct dtx_names *made)
{
    int i;

    for (i = made->count - 1; i >= 0; i--) {
        (void)rmdir(made->strings[i]);
    }
}

enum dtx_status
dtx_file_sync(int fd, const char *path, struct dtx_error *err)
{
    int code = sync_whole(fd);

    return code == 0 ? DTX_OK
                     : dtx_file_error(err, DTX_ERR_TARGET, "write", path, code);
}

enum dtx_status
dtx_file_commit(const char *from, const char *to, struct dtx_error *err)
{
    char reason[DTX_REASON_TEXT];

    if (rename(from, to) != 0) {
        return dtx_error_set(err, DTX_ERR_TARGET,
                             "cannot rename '%s' to '%s': %s", from, to,
                             dtx_file_reason(errno, reason));
    }
    return dtx_file_sync_folder(to, err);
}

static enum dtx_status
write_new(const char *path, const char *text, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int code = dtx_file_remove(path);
    int fd;

    if (code != 0) {
        return dtx_file_error(err, DTX_ERR_TARGET, "replace", path, code);
    }
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        return dtx_file_error(err, DTX_ERR_TARGET, "create", path, errno);
    }
    code = dtx_file_write_at(fd, text, strlen(text), 0);
    if (code != 0) {
        status = dtx_file_error(err, DTX_ERR_TARGET, "write", path, code);
    } else {
        status = dtx_file_sync(fd, path, err);
    }
    if (close(fd) != 0 && status == DTX_OK) {
        status = dtx_file_error(err, DTX_ERR_TARGET, "write", path, errno);
    }
    return status;
}

enum dtx_status
dtx_file_write_text(const char *path, const char *text, struct dtx_error *err)
{
    struct dtx_text temporary = {0};
    enum dtx_status status;

    dtx_text_format(&temporary, "%s.tmp", path);
    if (temporary.failed) {
        dtx_text_finish(&temporary);
        return dtx_error_memory(err);
    }
    status = dtx_file_make_folders(path, NULL, err);
    if (status == DTX_OK) {
        status = write_new(temporary.data, text, err);
        if (status == DTX_OK) {
            status = dtx_file_commit(temporary.data, path, err);
        }
        if (status != DTX_OK) {
            dtx_file_remove(temporary.data);
        }
    }
    dtx_text_finish(&temporary);
    return status;
}

int
dtx_file_remove(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR) {
        return 0;
    }
    return errno;
}

bool
dtx_file_exists(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0;
}

bool
dtx_file_is_missing(const char *path)
{
    struct stat info;

    return lstat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

bool
dtx_file_identify(const char *path, struct dtx_text *text)
{
    struct stat info;

    if (stat(path, &info) != 0) {
        return false;
    }
    dtx_text_format(text, "%llu:%llu", (unsigned long long)info.st_dev,
                    (unsigned long long)info.st_ino);
    return true;
}

int64_t
dtx_file_size(const char *path)
{
    struct stat info;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return -1;
    }
    return (int64_t)info.st_size;
}

static int64_t
modified_ns(const struct stat *info)
{
    return (int64_t)info->st_mtim.tv_sec * 1000000000 +
           (int64_t)info->st_mtim.tv_nsec;
}

int64_t
dtx_file_modified(const char *path)
{
    struct stat info;

    return stat(path, &info) != 0 ? -1 : modified_ns(&info);
}

bool
dtx_file_mark(const char *path, int64_t *bytes_out, int64_t *modified_ns_out)
{
    struct stat info;
    const char *ignored;
    int fd = dtx_file_open_regular(path, &info, &ignored);

    if (fd < 0) {
        return false;
    }
    close(fd);
    *bytes_out = (int64_t)info.st_size;
    *modified_ns_out = modified_ns(&info);
    return true;
}

void
dtx_file_forget(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd >= 0) {
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        close(fd);
    }
}
