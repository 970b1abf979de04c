#include "storage/fd_cache.h"

#include <unistd.h>

#include "util/error.h"

void
dtx_fd_cache_init(struct dtx_fd_cache *cache,
                  enum dtx_status (*open)(const char *, int *,
                                          struct dtx_error *))
{
    *cache = (struct dtx_fd_cache){.open = open};
    pthread_mutex_init(&cache->mutex, NULL);
}

static void
close_entry(struct dtx_fd_entry *entry)
{
    if (entry->key != NULL) {
        close(entry->fd);
        entry->key = NULL;
    }
}

void
dtx_fd_cache_clear(struct dtx_fd_cache *cache)
{
    int i;

    pthread_mutex_lock(&cache->mutex);
    for (i = 0; i < DTX_FD_CACHE_SIZE; i++) {
        close_entry(&cache->entries[i]);
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

/* A free entry, or the least recently used of those that nobody uses, closed;
 * NULL where all are in use. */
static struct dtx_fd_entry *
make_room(struct dtx_fd_cache *cache)
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
    if (oldest != NULL) {
        close_entry(oldest);
    }
    return oldest;
}

static enum dtx_status
open_entry(struct dtx_fd_cache *cache, const void *key, const char *path,
           struct dtx_fd_entry **entry_out, struct dtx_error *err)
{
    struct dtx_fd_entry *entry = make_room(cache);
    enum dtx_status status;
    int fd;

    if (entry == NULL) {
        return dtx_error_set(err, DTX_ERR_LIMIT,
                             "cannot open '%s': %d files are in use", path,
                             DTX_FD_CACHE_SIZE);
    }
    status = cache->open(path, &fd, err);
    if (status == DTX_OK) {
        *entry = (struct dtx_fd_entry){.key = key, .fd = fd};
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
        close_entry(entry);
    }
    pthread_mutex_unlock(&cache->mutex);
}
