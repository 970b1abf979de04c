/*
 * The parts of the storage in memory; see memory_storage.h.
 */
#ifndef DTX_STORAGE_MEMORY_MEMORY_INTERNAL_H
#define DTX_STORAGE_MEMORY_MEMORY_INTERNAL_H

#include "storage/memory/memory_files.h"

struct memory_storage {
    struct dtx_storage base;
    struct dtx_memory_files *files;
    const struct dtx_catalog *catalog;
    char *journal;      /* NULL: none is open */
    int64_t reads_left; /* until one fails; 0: none does */
    int64_t writes_left;
    int64_t sound_writes_left; /* until one is damaged */
};

/* Takes the lock of the files, which each operation of the seam does once. */
static inline struct memory_storage *
dtx_memory_enter(struct dtx_storage *storage)
{
    struct memory_storage *self = (struct memory_storage *)storage;

    pthread_mutex_lock(&self->files->mutex);
    return self;
}

static inline void
dtx_memory_leave(struct memory_storage *self)
{
    pthread_mutex_unlock(&self->files->mutex);
}

/* Whole files, as the seam has them. */
enum dtx_status dtx_memory_commit(struct dtx_storage *storage, const char *from,
                                  const char *to, struct dtx_error *err);
enum dtx_status dtx_memory_write_text(struct dtx_storage *storage,
                                      const char *path, const char *text,
                                      struct dtx_error *err);
void dtx_memory_remove(struct dtx_storage *storage, const char *path);
void dtx_memory_remove_folders(struct dtx_storage *storage);
bool dtx_memory_exists(struct dtx_storage *storage, const char *path);
bool dtx_memory_is_missing(struct dtx_storage *storage, const char *path);
int64_t dtx_memory_size(struct dtx_storage *storage, const char *path);
int64_t dtx_memory_modified(struct dtx_storage *storage, const char *path);
bool dtx_memory_mark(struct dtx_storage *storage, const char *path,
                     int64_t *bytes_out, int64_t *modified_ns_out);
bool dtx_memory_space(struct dtx_storage *storage, const char *path,
                      uint64_t *system_out, uint64_t *free_out);
uint64_t dtx_memory_holes(struct dtx_storage *storage, const char *path);
bool dtx_memory_identify(struct dtx_storage *storage, const char *path,
                         struct dtx_text *text);
void dtx_memory_forget(struct dtx_storage *storage, const char *path);

#endif
