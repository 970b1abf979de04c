/*
 * A bounded set of open files, for positioned I/O.
 *
 * A run may read thousands of files; the least recently used is closed to
 * make room. Files are known by a key, the address of something that lives as
 * long as the cache. Safe on several threads at once.
 */
#ifndef DTX_STORAGE_FD_CACHE_H
#define DTX_STORAGE_FD_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <dtx/status.h>

enum { DTX_FD_CACHE_SIZE = 64 };

struct dtx_fd_entry {
    const void *key;  /* NULL: free */
    const char *path; /* lives as long as the key */
    int fd;
    int users; /* between acquire and release */
    uint64_t used_at;
};

struct dtx_fd_cache {
    pthread_mutex_t mutex;
    enum dtx_status failure; /* of closing a file */
    enum dtx_status (*open)(const char *path, int *fd_out,
                            struct dtx_error *err);
    uint64_t clock;
    struct dtx_fd_entry entries[DTX_FD_CACHE_SIZE];
};

/* open opens a file that isn't in the cache. */
void dtx_fd_cache_init(struct dtx_fd_cache *cache, enum dtx_status failure,
                       enum dtx_status (*open)(const char *, int *,
                                               struct dtx_error *));
/* Closes all files, which nobody uses. */
void dtx_fd_cache_clear(struct dtx_fd_cache *cache);
void dtx_fd_cache_finish(struct dtx_fd_cache *cache);

/* The open file of a key, opened at the path where need be; it stays open
 * until it is released. Fails, too, where the file that makes room for it can't
 * be closed: some file systems only then say that a write has failed. */
enum dtx_status dtx_fd_acquire(struct dtx_fd_cache *cache, const void *key,
                               const char *path, int *fd_out,
                               struct dtx_error *err);
void dtx_fd_release(struct dtx_fd_cache *cache, const void *key);

/* Closes the file of a key, which nobody uses; it need not be open. */
void dtx_fd_drop(struct dtx_fd_cache *cache, const void *key);

#endif
