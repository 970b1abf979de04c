/*
 * The blocks in which a chunked dataset is rewritten: boxes of whole chunks,
 * but for those at its end, numbered in row-major order.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_BLOCKS_H
#define DTX_STORAGE_HDF5_HDF5_BLOCKS_H

#include <hdf5.h>

#include "layout/target.h"

struct dtx_hdf5_blocks {
    int64_t block[DTX_NDIM_MAX];  /* extents, of whole chunks */
    int64_t counts[DTX_NDIM_MAX]; /* blocks along each dim */
    int64_t total;
};

/*
 * The blocks of a dataset that isn't empty; one that has no chunks is one
 * block.
 *
 * id     of the dataset, open
 * bytes  that a block has at most, if that is more than a chunk
 * path   of the file, for the message
 */
enum dtx_status dtx_hdf5_find_blocks(const struct dtx_target_dataset *dataset,
                                     hid_t id, int64_t bytes, const char *path,
                                     struct dtx_hdf5_blocks *blocks_out,
                                     struct dtx_error *err);

/* The box of a block, clipped at the dataset's end. lo, len [ndim] */
void dtx_hdf5_block_box(const struct dtx_hdf5_blocks *blocks,
                        const struct dtx_target_dataset *dataset, int64_t index,
                        int64_t *lo, int64_t *len);

#endif
