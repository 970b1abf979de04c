/*
 * Boxes of datasets whose data goes through HDF5.
 *
 * While HDF5 moves many chunks together it has several KiB in memory of each,
 * however small. So a box of many chunks is moved in parts of some whole
 * chunks, in the order of the chunks: none is decoded twice.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_BOX_H
#define DTX_STORAGE_HDF5_HDF5_BOX_H

#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

#include "storage/hdf5/hdf5_handles.h"

/* Chunks that HDF5 may be given to move together. */
enum { DTX_HDF5_CHUNKS_MOST = 1024 };

/* A box of a dataset, which is to be as the catalog says. */
struct dtx_hdf5_box {
    int ndim;
    const int64_t *shape; /* [ndim] of the dataset, in elements */
    const int64_t *lo;    /* [ndim] */
    const int64_t *len;   /* [ndim] inside the shape */
    size_t element_bytes;
};

/* Bytes of a box; 0 where an extent is, or they can't be counted. */
size_t dtx_hdf5_box_bytes(const struct dtx_hdf5_box *box);

/*
 * A box of a dataset as dataspaces in the file and in memory. Negative on
 * failure; both to be given to dtx_hdf5_unselect().
 */
herr_t dtx_hdf5_select(hid_t dataset, int ndim, const int64_t *lo,
                       const int64_t *len, hid_t *file_space_out,
                       hid_t *memory_space_out);

/* Closes both. Of a call that failed before, HDF5 still knows the reason. */
void dtx_hdf5_unselect(hid_t file_space, hid_t memory_space);

/*
 * Moves a part of a box: a selection in the file and one, of the same shape,
 * in a buffer for the whole box. Negative on failure.
 */
typedef herr_t dtx_hdf5_move(const struct dtx_hdf5_dataset *open,
                             hid_t memory_space, hid_t file_space,
                             void *context);

/*
 * Moves a box that isn't empty, part after part; one of a dataset that isn't
 * chunked in one part. Negative on the first failure.
 *
 * box  of which ndim, lo and len are looked at
 */
herr_t dtx_hdf5_move_parts(const struct dtx_hdf5_dataset *open,
                           const struct dtx_hdf5_box *box, dtx_hdf5_move *move,
                           void *context);

/*
 * Reads a box of a source's dataset, in the file's own element type. Under the
 * lock of the library.
 *
 * buffer  room for the box; filled dense and row-major
 *
 * Fails with DTX_ERR_SOURCE, also where the dataset isn't any more what the
 * catalog says.
 */
enum dtx_status dtx_hdf5_read_box(struct dtx_hdf5_handles *sources,
                                  struct dtx_hdf5_name name,
                                  const struct dtx_hdf5_box *box, void *buffer,
                                  struct dtx_error *err);

#endif
