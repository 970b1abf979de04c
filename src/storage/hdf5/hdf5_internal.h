/*
 * The parts of the HDF5 storage; see hdf5_storage.h.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_INTERNAL_H
#define DTX_STORAGE_HDF5_HDF5_INTERNAL_H

#include <hdf5.h>
#include <mpi.h>
#include <pthread.h>

#include "storage/fd_cache.h"
#include "storage/hdf5/hdf5_handles.h"
#include "storage/journal_file.h"
#include "storage/storage.h"

struct dtx_hdf5_storage {
    struct dtx_storage base;
    const struct dtx_catalog *catalog; /* NULL until it is told */
    struct dtx_fd_cache readers;       /* key: the path in the catalog */
    struct dtx_fd_cache writers;       /* key: the target file */
    /* under the lock of the library, keys as above */
    struct dtx_hdf5_handles sources;
    struct dtx_hdf5_handles targets;
    pthread_mutex_t scratch_mutex;
    char *scratch; /* for reading over gaps; made when first needed */
    struct dtx_journal_file journal;
    struct dtx_names folders; /* that were made for the target */
    int *numbers;             /* [number_count] in MPI_COMM_WORLD; or NULL */
    int number_count;
};

/* The operations of the seam, as storage.h describes them. */
enum dtx_status dtx_hdf5_read(struct dtx_storage *storage, int dataset,
                              const int64_t *lo, const int64_t *len,
                              void *buffer, struct dtx_error *err);
enum dtx_status dtx_hdf5_digest_object(struct dtx_storage *storage, int dataset,
                                       uint64_t *digest_out,
                                       struct dtx_error *err);
enum dtx_status dtx_hdf5_create(struct dtx_storage *storage,
                                struct dtx_target_file *file,
                                struct dtx_error *err);
enum dtx_status dtx_hdf5_write(struct dtx_storage *storage,
                               const struct dtx_target_file *file, int dataset,
                               const int64_t *lo, const int64_t *len,
                               const void *buffer, struct dtx_error *err);
enum dtx_status dtx_hdf5_close(struct dtx_storage *storage,
                               const struct dtx_target_file *file,
                               struct dtx_error *err);

enum dtx_status dtx_hdf5_reopen(struct dtx_storage *storage,
                                struct dtx_target_file *file,
                                struct dtx_error *err);
enum dtx_status dtx_hdf5_sync(struct dtx_storage *storage,
                              const struct dtx_target_file *file,
                              struct dtx_error *err);

void dtx_hdf5_leave(struct dtx_storage *storage,
                    const struct dtx_target_file *file);
enum dtx_status dtx_hdf5_pack(struct dtx_storage *storage,
                              const struct dtx_target_file *file,
                              uint64_t memory_bytes, struct dtx_error *err);

/* As the storage's own_number() and use_numbers(): numbers are ranks in
 * MPI_COMM_WORLD. */
int dtx_hdf5_own_number(struct dtx_storage *storage);
enum dtx_status dtx_hdf5_use_numbers(struct dtx_storage *storage,
                                     const int *numbers, int count,
                                     struct dtx_error *err);

/* A communicator of the processes that share a file, to be freed. The job can
 * be a part of MPI's world, in an order of its own. Collective over them. */
MPI_Comm dtx_hdf5_communicator(const struct dtx_hdf5_storage *storage,
                               const struct dtx_target_file *file);

/* True where a file's data goes through HDF5: where it is chunked or
 * compressed, unless several processes write it, contiguous until packed. */
bool dtx_hdf5_is_stored(const struct dtx_target_file *file);

/* True for a dataset that has chunks, in the form that its file has. */
bool dtx_hdf5_is_chunked(const struct dtx_target_file *file,
                         const struct dtx_target_dataset *dataset);

/* The extents of a chunk of such a dataset. chunk  [ndim] */
void dtx_hdf5_choose_chunk(const struct dtx_target_file *file,
                           const struct dtx_target_dataset *dataset,
                           hsize_t *chunk);

/* Gives a dataset that is to be created such chunks, and their filters.
 * Negative on failure. */
herr_t dtx_hdf5_set_chunks(hid_t properties, const struct dtx_target_file *file,
                           const struct dtx_target_dataset *dataset);

/* How a target's dataset is created: contiguous, or in chunks. Negative on
 * failure; to be closed by the caller. */
hid_t dtx_hdf5_make_properties(const struct dtx_target_file *file,
                               const struct dtx_target_dataset *dataset);

/* The same of a dataset whose data other files hold. */
hid_t dtx_hdf5_make_view(const struct dtx_target_file *file, int dataset);

#endif
