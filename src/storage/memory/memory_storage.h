/*
 * Storage in memory: the test double of the seam. Files are named blobs that
 * several storages (of simulated processes) can share; access is locked. What
 * they don't hold is attributes, groups and types that dtx doesn't know.
 */
#ifndef DTX_STORAGE_MEMORY_MEMORY_STORAGE_H
#define DTX_STORAGE_MEMORY_MEMORY_STORAGE_H

#include "storage/storage.h"

struct dtx_memory_files;

struct dtx_memory_files *dtx_memory_files_create(void);
void dtx_memory_files_destroy(struct dtx_memory_files *files);

/* Puts a dataset into a file of the memory, as a source would have it; data
 * is dense little-endian and copied. */
enum dtx_status dtx_memory_files_put(struct dtx_memory_files *files,
                                     const char *file, const char *path,
                                     enum dtx_dtype dtype, int ndim,
                                     const int64_t *shape, const void *data,
                                     struct dtx_error *err);

/* Puts a dataset into a file that is no tensor, such as strings of variable
 * length: its one value is a text. */
enum dtx_status dtx_memory_files_put_object(struct dtx_memory_files *files,
                                            const char *file, const char *path,
                                            const char *value,
                                            struct dtx_error *err);

/* From now on a dataset can't be read. */
void dtx_memory_files_spoil(struct dtx_memory_files *files, const char *file,
                            const char *path);

/* The bytes of a dataset, or NULL; shape_out [DTX_NDIM_MAX]. Borrowed. */
const void *dtx_memory_files_get(struct dtx_memory_files *files,
                                 const char *file, const char *path,
                                 int *ndim_out, int64_t *shape_out);

/* A storage over the files, which must outlive it. */
enum dtx_status dtx_memory_storage_create(struct dtx_memory_files *files,
                                          struct dtx_storage **storage_out,
                                          struct dtx_error *err);

/* Makes the k-th following read or write of this storage fail (from 1). */
void dtx_memory_storage_fail(struct dtx_storage *storage, int64_t read_call,
                             int64_t write_call);

/* Makes the k-th following write of this storage (from 1) store one bit
 * wrongly, silently. */
void dtx_memory_storage_damage(struct dtx_storage *storage, int64_t write_call);

#endif
