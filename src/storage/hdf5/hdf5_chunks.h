/*
 * Chunks as they stand in a file: filtered, with what of that was left out.
 *
 * Several processes can make the chunks of one dataset, each of its own
 * blocks, and one writes them. HDF5 makes them in a file in memory, so no call
 * waits for another process. Under the lock of the library.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_CHUNKS_H
#define DTX_STORAGE_HDF5_HDF5_CHUNKS_H

#include <hdf5.h>
#include <stdint.h>

#include "storage/hdf5/hdf5_blocks.h"

/* A block and its chunks, of a dataset of a file in its final form. */
struct dtx_hdf5_block {
    const struct dtx_target_file *file;
    const struct dtx_target_dataset *dataset;
    const struct dtx_hdf5_blocks *blocks;
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX]; /* its box */
    int64_t chunk_count;
    struct dtx_hdf5_chunk *chunks; /* [chunk_count] */
    char *bytes;                   /* the chunks, one behind the other */
};

/*
 * Makes the chunks of a block.
 *
 * values  the block, dense and row-major
 * block   chunks and bytes have room for those of a whole block
 *
 * Fails with DTX_ERR_TARGET.
 */
enum dtx_status dtx_hdf5_make_chunks(const struct dtx_hdf5_block *block,
                                     const void *values, struct dtx_error *err);

/*
 * Writes the chunks of a block.
 *
 * dataset  open, of a file that is written by our driver: see
 *          dtx_hdf5_failure()
 *
 * Fails with DTX_ERR_TARGET.
 */
enum dtx_status dtx_hdf5_write_chunks(const struct dtx_hdf5_block *block,
                                      hid_t dataset, struct dtx_error *err);

#endif
