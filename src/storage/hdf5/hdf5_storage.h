/*
 * Storage in HDF5 files; contiguous datasets by positioned I/O.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_STORAGE_H
#define DTX_STORAGE_HDF5_HDF5_STORAGE_H

#include "storage/storage.h"

/* Owned by the caller, destroyed through its ops. Local. */
enum dtx_status dtx_hdf5_storage_create(struct dtx_storage **storage_out,
                                        struct dtx_error *err);

/* The number of this process among all that MPI has started together; 0
 * without MPI. Local. */
int dtx_hdf5_world_rank(void);

/*
 * Says by which of these numbers the processes are known that share files;
 * without it each is known by its own. Local.
 *
 * ranks  [count] copied
 */
enum dtx_status dtx_hdf5_use_ranks(struct dtx_storage *storage,
                                   const int *ranks, int count,
                                   struct dtx_error *err);

#endif
