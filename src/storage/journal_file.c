#define _GNU_SOURCE /* F_OFD_SETLK */

#include "storage/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/files.h"
#include "util/alloc.h"
#include "util/error.h"

enum { READ_BYTES = 1 << 16 };

/* More is no journal of ours. */
static const size_t bytes_most = (size_t)1 << 30;

/* How often a journal may vanish between opening and locking it. */
enum { TRIES_MOST = 8 };

/* ---------------------------------------------------------------- lock */

/* Returns 0, or an errno value: EAGAIN where another process has the lock. */
static int
lock(int fd)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_OFD_SETLK, &all) == 0) {
        return 0;
    }
    if (errno == EINVAL && fcntl(fd, F_SETLK, &all) == 0) {
        return 0; /* a system without locks of open files */
    }
    switch (errno) {
    case EACCES:
        return EAGAIN;
    case ENOLCK:
    case ENOSYS:
    case EOPNOTSUPP:
        return 0; /* a file system without locks */
    default:
        return errno;
    }
}

/* True where the path still leads to the open file. */
static bool
stands(int fd, const char *path)
{
    struct stat open_file, found;

    return fstat(fd, &open_file) == 0 && lstat(path, &found) == 0 &&
           open_file.st_dev == found.st_dev && open_file.st_ino == found.st_ino;
}

static enum dtx_status
refuse_locked(const char *path, struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_TARGET,
                  "another run is writing this target: it holds '%s'", path);
    dtx_error_hint(err, "the lock ends with that run, however it ends");
    return DTX_ERR_TARGET;
}

/* Opens and locks; *fd_out is -1 where the journal vanished meanwhile. */
static enum dtx_status
open_once(const char *path, int *fd_out, struct dtx_error *err)
{
    struct stat info;
    int code = 0;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                  0666);

    if (fd < 0) {
        return dtx_file_error(err, DTX_ERR_TARGET, "create", path, errno);
    }
    if (fstat(fd, &info) != 0) {
        code = errno;
    } else if (!S_ISREG(info.st_mode)) {
        code = EEXIST;
    } else {
        code = lock(fd);
    }
    if (code == 0 && stands(fd, path)) {
        *fd_out = fd;
        return DTX_OK;
    }
    close(fd);
    *fd_out = -1;
    if (code == EAGAIN) {
        return refuse_locked(path, err);
    }
    return code == 0
               ? DTX_OK
               : dtx_file_error(err, DTX_ERR_TARGET, "create", path, code);
}

static enum dtx_status
open_locked(const char *path, int *fd_out, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    *fd_out = -1;
    for (i = 0; i < TRIES_MOST && *fd_out < 0 && status == DTX_OK; i++) {
        status = open_once(path, fd_out, err);
    }
    if (status == DTX_OK && *fd_out < 0) {
        status = refuse_locked(path, err);
    }
    return status;
}

/* ---------------------------------------------------------------- lines */

/* Adds the complete lines; returns 0 or an errno value. */
static int
read_lines(int fd, struct dtx_text *content)
{
    char buffer[READ_BYTES];
    uint64_t at = 0;
    ssize_t got;

    do {
        got = pread(fd, buffer, sizeof buffer, (off_t)at);
        if (got < 0 && errno != EINTR) {
            return errno;
        }
        if (got > 0) {
            dtx_text_add_bytes(content, buffer, (size_t)got);
            at += (uint64_t)got;
        }
    } while (got != 0 && content->length <= bytes_most && !content->failed);
    while (content->length > 0 && content->data[content->length - 1] != '\n') {
        content->data[--content->length] = '\0';
    }
    return content->failed ? ENOMEM : 0;
}

static enum dtx_status
cut(struct dtx_journal_file *journal, uint64_t length, struct dtx_error *err)
{
    int code = dtx_file_set_length(journal->fd, length);

    if (code != 0) {
        return dtx_file_error(err, DTX_ERR_TARGET, "write", journal->path,
                              code);
    }
    journal->length = length;
    return DTX_OK;
}

bool
dtx_journal_begins(const char *bytes, size_t count)
{
    size_t most = strlen(DTX_JOURNAL_BEGIN);

    return memcmp(bytes, DTX_JOURNAL_BEGIN, count < most ? count : most) == 0;
}

enum dtx_status
dtx_journal_refuse_other(const char *path, struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_TARGET,
                  "'%s' has the name of this target's journal, and is none",
                  path);
    dtx_error_hint(err, "dtx would replace it: move it out of the way");
    return DTX_ERR_TARGET;
}

/* What can't be read isn't judged here. */
static bool
is_journal(int fd)
{
    char begin[sizeof DTX_JOURNAL_BEGIN];
    ssize_t count;

    do {
        count = pread(fd, begin, sizeof begin, 0);
    } while (count < 0 && errno == EINTR);
    return count < 0 || dtx_journal_begins(begin, (size_t)count);
}

static enum dtx_status
read_and_cut(struct dtx_journal_file *journal, struct dtx_text *content,
             struct dtx_error *err)
{
    int code;

    if (!is_journal(journal->fd)) {
        return dtx_journal_refuse_other(journal->path, err);
    }
    code = read_lines(journal->fd, content);
    if (code == ENOMEM) {
        return dtx_error_memory(err);
    }
    if (code != 0) {
        return dtx_file_error(err, DTX_ERR_TARGET, "read", journal->path, code);
    }
    return cut(journal, content->length, err);
}

/* ---------------------------------------------------------------- visible */

enum dtx_status
dtx_journal_file_open(struct dtx_journal_file *journal, const char *path,
                      struct dtx_names *folders, struct dtx_text *content,
                      struct dtx_error *err)
{
    enum dtx_status status = dtx_file_make_folders(path, folders, err);
    struct dtx_error unseen;

    if (status != DTX_OK) {
        return status;
    }
    journal->path = dtx_strdup(path);
    if (journal->path == NULL) {
        return dtx_error_memory(err);
    }
    status = open_locked(path, &journal->fd, err);
    if (status != DTX_OK) {
        dtx_free(journal->path);
        journal->path = NULL;
        return status;
    }
    status = read_and_cut(journal, content, err);
    if (status != DTX_OK) { /* one that was just made is of no use */
        (void)!dtx_journal_file_close(journal, dtx_file_size(path) == 0,
                                      &unseen);
    }
    return status;
}

enum dtx_status
dtx_journal_file_cut(struct dtx_journal_file *journal, uint64_t bytes,
                     struct dtx_error *err)
{
    enum dtx_status status = cut(journal, bytes, err);

    return status == DTX_OK ? dtx_file_sync(journal->fd, journal->path, err)
                            : status;
}

enum dtx_status
dtx_journal_file_append(struct dtx_journal_file *journal, const char *lines,
                        struct dtx_error *err)
{
    size_t bytes = strlen(lines);
    int code = dtx_file_write_at(journal->fd, lines, bytes, journal->length);
    enum dtx_status status;

    if (code != 0) {
        return dtx_file_error(err, DTX_ERR_TARGET, "write", journal->path,
                              code);
    }
    status = dtx_file_sync(journal->fd, journal->path, err);
    if (status == DTX_OK && journal->length == 0) {
        status = dtx_file_sync_folder(journal->path, err);
    }
    if (status == DTX_OK) {
        journal->length += bytes;
    }
    return status;
}

enum dtx_status
dtx_journal_file_close(struct dtx_journal_file *journal, bool has_served,
                       struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int code;

    if (journal->path == NULL) {
        return DTX_OK;
    }
    code = has_served ? dtx_file_remove(journal->path) : 0;
    if (code != 0) {
        status =
            dtx_file_error(err, DTX_ERR_TARGET, "remove", journal->path, code);
    }
    close(journal->fd);
    dtx_free(journal->path);
    *journal = (struct dtx_journal_file){0};
    return status;
}

bool
dtx_journal_file_peek(const char *path, struct dtx_text *content)
{
    struct stat info;
    bool is_read = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0) {
        return false;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        is_read = read_lines(fd, content) == 0;
    }
    close(fd);
    return is_read;
}
