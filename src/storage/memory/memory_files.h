/*
 * Files in memory, as memory_storage.h shares them between storages. The
 * caller of what stands here holds the mutex.
 */
#ifndef DTX_STORAGE_MEMORY_MEMORY_FILES_H
#define DTX_STORAGE_MEMORY_MEMORY_FILES_H

#include <pthread.h>

#include "storage/memory/memory_storage.h"

/* A dataset. An object is one of bytes. */
struct dtx_memory_blob {
    char *path;
    bool is_object;
    bool is_unreadable;
    struct dtx_type type;
    int ndim;
    int64_t *shape;
    size_t bytes;
    char *data;
};

/* A file of datasets, or of text. */
struct dtx_memory_file {
    char *path;
    char *text;     /* NULL: datasets */
    int64_t made;   /* so many files were before it */
    bool is_locked; /* a journal that is open */
    struct dtx_memory_blob *blobs;
    size_t blob_count;
    size_t blob_capacity;
};

/* Few and in order of their making: tests are small. */
struct dtx_memory_files {
    pthread_mutex_t mutex;
    struct dtx_memory_file *files;
    size_t count;
    size_t capacity;
    int64_t made; /* by now, the ones that went included */
};

/* Borrowed until files come or go; NULL where there is none. */
struct dtx_memory_file *dtx_memory_find_file(struct dtx_memory_files *files,
                                             const char *path);
struct dtx_memory_blob *dtx_memory_find_blob(struct dtx_memory_file *file,
                                             const char *path);

/* Bytes of a file; NULL has -1. */
int64_t dtx_memory_file_bytes(const struct dtx_memory_file *file);

/* An empty file; NULL when out of memory. */
struct dtx_memory_file *dtx_memory_add_file(struct dtx_memory_files *files,
                                            const char *path);
/* A dataset of zeros; NULL when out of memory. */
struct dtx_memory_blob *dtx_memory_add_blob(struct dtx_memory_file *file,
                                            const char *path,
                                            struct dtx_type type, int ndim,
                                            const int64_t *shape);

/* The journal, as the seam has it; cut and append are for the one who has
 * it open. */
enum dtx_status dtx_memory_journal_open(struct dtx_memory_files *files,
                                        const char *path,
                                        struct dtx_text *content,
                                        struct dtx_error *err);
void dtx_memory_journal_cut(struct dtx_memory_files *files, const char *path,
                            uint64_t bytes);
enum dtx_status dtx_memory_journal_append(struct dtx_memory_files *files,
                                          const char *path, const char *lines,
                                          struct dtx_error *err);
void dtx_memory_journal_close(struct dtx_memory_files *files, const char *path,
                              bool has_served);

void dtx_memory_remove_file(struct dtx_memory_files *files, const char *path);

#endif
