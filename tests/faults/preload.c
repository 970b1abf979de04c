/*
 * A preload library that makes one call fail: of those that a program makes on
 * files below a folder, the k-th of a kind.
 *
 * FAULT_BELOW  the folder, absolute
 * FAULT_CALL   pread, pwrite, fsync, rename, ftruncate, fallocate, open, mkdir,
 *              unlink, stat; of HDF5: select (a part of a dataset), dataset
 *              (one is made or opened)
 * FAULT_AT     the number of the call, from 1; 0: none fails
 * FAULT_WITH   EIO, ENOSPC, EDQUOT, EACCES, EINTR, short (half is done),
 *              kill (the program dies before it), or stop (it goes on, asked
 *              to stop by FAULT_SIGNAL, a number; the guard's calls are left
 *              alone)
 * FAULT_NOTE   a file that the library makes when it has done it
 * FAULT_RANK   the one process of several, by its number; unset: each
 * FAULT_WAIT   milliseconds that each call of the kind takes longer, from
 *              FAULT_AT on
 */
/* Both the plain and the 64-bit names are defined below, so that none may be
 * an alias of the other. */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE

/* The functions take the place of the system's. */
#pragma GCC visibility push(default)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SHORT = -1, KILL = -2, STOP = -3 };

static atomic_long calls;

static const char *
setting(const char *name)
{
    const char *value = getenv(name);

    return value == NULL ? "" : value;
}

static int
fault(void)
{
    static const struct {
        const char *name;
        int code;
    } known[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT},
                 {"EACCES", EACCES}, {"EINTR", EINTR},   {"short", SHORT},
                 {"kill", KILL},     {"stop", STOP}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(setting("FAULT_WITH"), known[i].name) == 0) {
            return known[i].code;
        }
    }
    return EIO;
}

static bool
stands_below(const char *path)
{
    const char *folder = setting("FAULT_BELOW");
    char absolute[PATH_MAX];

    if (path[0] != '/') {
        char here[PATH_MAX];

        if (getcwd(here, sizeof here) == NULL) {
            return false;
        }
        snprintf(absolute, sizeof absolute, "%.2000s/%.2000s", here, path);
        path = absolute;
    }
    return folder[0] != '\0' && strncmp(path, folder, strlen(folder)) == 0;
}

static bool
is_open_below(int fd)
{
    char link[64], path[PATH_MAX];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0) {
        return false;
    }
    path[length] = '\0';
    return stands_below(path);
}

static void
note(void)
{
    static int (*real)(const char *, int, ...);

    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "open");
    }
    close(real(setting("FAULT_NOTE"), O_CREAT | O_WRONLY, 0666));
}

static void
wait_longer(void)
{
    long ms = atol(setting("FAULT_WAIT"));
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    if (ms > 0) {
        nanosleep(&time, NULL);
    }
}

static bool
is_meant(void)
{
    const char *rank = setting("FAULT_RANK");

    return rank[0] == '\0' || strcmp(rank, setting("PMI_RANK")) == 0;
}

static bool
is_guard(void)
{
    char name[16] = "";

    prctl(PR_GET_NAME, name);
    return strcmp(name, "dtx-guard") == 0;
}

/* What a call is to do: 0 as always, SHORT half of it, or fail with a code. */
static int
verdict(const char *call)
{
    long number, at = atol(setting("FAULT_AT"));
    int code;

    if (strcmp(setting("FAULT_CALL"), call) != 0) {
        return 0;
    }
    if (fault() == STOP && is_guard()) {
        return 0;
    }
    number = atomic_fetch_add(&calls, 1) + 1;
    code = number == at && is_meant() ? fault() : 0;
    if (code != 0) {
        note();
    }
    if (code == KILL) {
        raise(SIGKILL);
    } else if (code == STOP) {
        kill(getpid(), atoi(setting("FAULT_SIGNAL")));
        code = 0;
    }
    if (number >= at) {
        wait_longer();
    }
    return code;
}

static void *
next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#define CALL(type, name, parameters, arguments, kind, is_below)                \
    type name parameters                                                       \
    {                                                                          \
        static type(*real) parameters;                                         \
        int code = is_below ? verdict(kind) : 0;                               \
                                                                               \
        if (real == NULL) {                                                    \
            *(void **)&real = next(#name);                                     \
        }                                                                      \
        if (code > 0) {                                                        \
            errno = code;                                                      \
            return (type)-1;                                                   \
        }                                                                      \
        return real arguments;                                                 \
    }

#define TRANSFER(name, buffer_type, kind, offset_type)                         \
    ssize_t name(int fd, buffer_type buffer, size_t bytes, offset_type at)     \
    {                                                                          \
        static ssize_t (*real)(int, buffer_type, size_t, offset_type);         \
        int code = is_open_below(fd) ? verdict(kind) : 0;                      \
                                                                               \
        if (real == NULL) {                                                    \
            *(void **)&real = next(#name);                                     \
        }                                                                      \
        if (code > 0) {                                                        \
            errno = code;                                                      \
            return -1;                                                         \
        }                                                                      \
        return real(fd, buffer, code == SHORT ? (bytes + 1) / 2 : bytes, at);  \
    }

TRANSFER(pread, void *, "pread", off_t)
TRANSFER(pread64, void *, "pread", off64_t)
TRANSFER(pwrite, const void *, "pwrite", off_t)
TRANSFER(pwrite64, const void *, "pwrite", off64_t)

CALL(int, fsync, (int fd), (fd), "fsync", is_open_below(fd))
CALL(int, ftruncate, (int fd, off_t bytes), (fd, bytes), "ftruncate",
     is_open_below(fd))
CALL(int, ftruncate64, (int fd, off64_t bytes), (fd, bytes), "ftruncate",
     is_open_below(fd))
CALL(int, fallocate, (int fd, int mode, off_t at, off_t bytes),
     (fd, mode, at, bytes), "fallocate", is_open_below(fd))
CALL(int, fallocate64, (int fd, int mode, off64_t at, off64_t bytes),
     (fd, mode, at, bytes), "fallocate", is_open_below(fd))
CALL(int, rename, (const char *from, const char *to), (from, to), "rename",
     stands_below(to))
CALL(int, unlink, (const char *path), (path), "unlink", stands_below(path))
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), "mkdir",
     stands_below(path))

CALL(int, stat, (const char *path, struct stat *info), (path, info), "stat",
     stands_below(path))
CALL(int, stat64, (const char *path, struct stat64 *info), (path, info), "stat",
     stands_below(path))
CALL(int, lstat, (const char *path, struct stat *info), (path, info), "stat",
     stands_below(path))
CALL(int, lstat64, (const char *path, struct stat64 *info), (path, info),
     "stat", stands_below(path))

/* As hdf5.h has it; there is no folder that it stands below. */
CALL(int, H5Sselect_hyperslab,
     (int64_t space, int how, const void *start, const void *stride,
      const void *count, const void *block),
     (space, how, start, stride, count, block), "select", true)

CALL(int64_t, H5Dcreate2,
     (int64_t file, const char *name, int64_t type, int64_t space,
      int64_t links, int64_t creation, int64_t access),
     (file, name, type, space, links, creation, access), "dataset", true)
CALL(int64_t, H5Dopen2, (int64_t file, const char *name, int64_t access),
     (file, name, access), "dataset", true)

#define OPEN(name)                                                             \
    int name(const char *path, int flags, ...)                                 \
    {                                                                          \
        static int (*real)(const char *, int, ...);                            \
        int code = stands_below(path) ? verdict("open") : 0;                   \
        mode_t mode = 0;                                                       \
        va_list rest;                                                          \
                                                                               \
        if (real == NULL) {                                                    \
            *(void **)&real = next(#name);                                     \
        }                                                                      \
        if ((flags & O_CREAT) != 0) {                                          \
            va_start(rest, flags);                                             \
            mode = va_arg(rest, mode_t);                                       \
            va_end(rest);                                                      \
        }                                                                      \
        if (code > 0) {                                                        \
            errno = code;                                                      \
            return -1;                                                         \
        }                                                                      \
        return real(path, flags, mode);                                        \
    }

OPEN(open)
OPEN(open64)
