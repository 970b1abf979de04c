#include "storage/fd_cache.h"

#include <errno.h>
#include <unistd.h>

#include "storage/files.h"
#include "util/error.h"

void
dtx_fd_cache_init(struct dtx_fd_cache *cache, enum dtx_status failure,
                  enum dtx_status (*open)(const char *, int *,
                                          struct dtx_error *))
{
    *cache = (struct dtx_fd_cache){.failure = failure, .open = open};
    pthread_mutex_init(&cache->mutex, NULL);
}

/* Returns 0 or an errno value: that of a write that only failed later. */
static int
close_entry(struct dtx_fd_entry *entry)
{
    int code = 0;

    if (entry->key != NULL) {
        code = close(entry->fd) == 0 || errno == EINTR ? 0 : errno;
        entry->key = NULL;
    }
    return code;
}

void
dtx_fd_cache_clear(struct dtx_fd_cache *cache)
{
    int i;

    pthread_mutex_lock(&cache->mutex);
    for (i = 0; i < DTX_FD_CACHE_SIZE; i++) {
        (void)close_entry(&cache->entries[i]);
    }
    pthread_mutex_unlock(&cache->mutex);
}

void
dtx_fd_cache_finish(struct dtx_fd_cache *cache)
{
    dtx_fd_cache_clear(cache);
    pthread_mutex_destroy(&cache->mutex);
}

/* The entry of a key, or NULL. */
static struct dtx_fd_entry *
find(struct dtx_fd_cache *cache, const void *key)
{
    int i;

    for (i = 0; i < DTX_FD_CACHE_SIZE; i++) {
        if (cache->entries[i].key == key) {
            return &cache->entries[i];
        }
    }
    return NULL;
}

/* A free entry, or the least recently used of those that nobody uses; NULL
 * where all are in use. */
static struct dtx_fd_entry *
find_room(struct dtx_fd_cache *cache)
{
    struct dtx_fd_entry *oldest = NULL;
    struct dtx_fd_entry *entry;
    int i;

    for (i = 0; i < DTX_FD_CACHE_SIZE; i++) {
        entry = &cache->entries[i];
        if (entry->key == NULL) {
            return entry;
        }
        if (entry->users == 0 &&
            (oldest == NULL || entry->used_at < oldest->used_at)) {
            oldest = entry;
        }
    }
    return oldest;
}

static enum dtx_status
open_entry(struct dtx_fd_cache *cache, const void *key, const char *path,
           struct dtx_fd_entry **entry_out, struct dtx_error *err)
{
    struct dtx_fd_entry *entry = find_room(cache);
    enum dtx_status status;
    int code, fd;

    if (entry == NULL) {
        return dtx_error_set(err, DTX_ERR_LIMIT,
                             "cannot open '%s': %d files are in use", path,
                             DTX_FD_CACHE_SIZE);
    }
    code = close_entry(entry);
    if (code != 0) {
        return dtx_file_error(err, cache->failure, "close", entry->path, code);
    }
    status = cache->open(path, &fd, err);
    if (status == DTX_OK) {
        *entry = (struct dtx_fd_entry){.key = key, .path = path, .fd = fd};
        *entry_out = entry;
    }
    return status;
}

enum dtx_status
dtx_fd_acquire(struct dtx_fd_cache *cache, const void *key, const char *path,
               int *fd_out, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    struct dtx_fd_entry *entry;

    pthread_mutex_lock(&cache->mutex);
    entry = find(cache, key);
    if (entry == NULL) {
        status = open_entry(cache, key, path, &entry, err);
    }
    if (entry != NULL) {
        entry->users++;
        entry->used_at = ++cache->clock;
        *fd_out = entry->fd;
    }
    pthread_mutex_unlock(&cache->mutex);
    return status;
}

void
dtx_fd_release(struct dtx_fd_cache *cache, const void *key)
{
    pthread_mutex_lock(&cache->mutex);
    find(cache, key)->users--;
    pthread_mutex_unlock(&cache->mutex);
}

void
dtx_fd_drop(struct dtx_fd_cache *cache, const void *key)
{
    struct dtx_fd_entry *entry;

    pthread_mutex_lock(&cache->mutex);
    entry = find(cache, key);
    if (entry != NULL) {
        (void)close_entry(entry); /* it was synced, or is given up */
    }
    pthread_mutex_unlock(&cache->mutex);
}
