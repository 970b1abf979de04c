/*
 * How blocks of a shared file's datasets get into the file's final form; see
 * hdf5_pack.c.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_PACK_H
#define DTX_STORAGE_HDF5_HDF5_PACK_H

#include <hdf5.h>
#include <mpi.h>

#include "storage/hdf5/hdf5_blocks.h"
#include "storage/hdf5/hdf5_internal.h"

/* A file on its way from contiguous to its final form. */
struct dtx_hdf5_packing {
    struct dtx_hdf5_storage *storage;
    const struct dtx_target_file *from; /* contiguous, complete */
    struct dtx_target_file to;          /* as from, elsewhere and stored */
    MPI_Comm comm;                      /* of the file's processes */
    int rank, size;
    enum dtx_status own, worst;     /* failure: this process's, and of all */
    int from_fd, to_fd;             /* of the temporary files */
    hid_t id;                       /* the packed file; only in process 0 */
    int64_t block_bytes;            /* at most, unless a chunk has more */
    struct dtx_hdf5_blocks *blocks; /* [dataset_count] */
    uint64_t *places; /* [dataset_count] bytes; 0 where known to HDF5 only */
    char *values;     /* room for a block of any dataset */
    char *chunks;     /* and for its chunks, those that say their bytes first */
};

/*
 * The worst status of all processes of the file: what they agree on for good.
 * Their own failures stay apart: the caller tells whose it was. A request to
 * stop is one. Collective.
 */
enum dtx_status dtx_hdf5_pack_settle(struct dtx_hdf5_packing *p,
                                     enum dtx_status status,
                                     struct dtx_error *err);

/* Has HDF5 write, in process 0, the chunks whose place is known to it only.
 * Returns what all agreed on. Under the lock of the library. Collective. */
enum dtx_status dtx_hdf5_pack_through(struct dtx_hdf5_packing *p,
                                      struct dtx_error *err);

/* Writes this process's blocks of the datasets that have a place, and makes
 * them durable. Under the lock of the library. Local. */
enum dtx_status dtx_hdf5_pack_in_place(const struct dtx_hdf5_packing *p,
                                       struct dtx_error *err);

#endif
