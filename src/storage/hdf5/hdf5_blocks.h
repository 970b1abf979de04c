/*
 * The blocks in which a dataset is rewritten: boxes of whole chunks, but for
 * those at its end, numbered in row-major order. The chunks of a block follow
 * one another in the dataset's row-major order of chunks.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_BLOCKS_H
#define DTX_STORAGE_HDF5_HDF5_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "layout/target.h"

/* What is known of a chunk that stands in a file. */
struct dtx_hdf5_chunk {
    uint64_t bytes;
    uint64_t left_out; /* bit i: not filtered by filter i */
};

struct dtx_hdf5_blocks {
    int64_t chunk[DTX_NDIM_MAX];  /* extents, in elements */
    int64_t block[DTX_NDIM_MAX];  /* the same, of whole chunks */
    int64_t counts[DTX_NDIM_MAX]; /* blocks along each dim */
    int64_t total;
    size_t chunk_bytes;    /* before filters */
    size_t filtered_bytes; /* after them, at most */
    int64_t chunk_count;   /* of a block that isn't at the end */
};

/*
 * The blocks of a dataset; one that has no chunks is a block of one chunk. Of
 * tiny chunks they have a thousand at most, for which HDF5 needs room, too.
 *
 * file   in its final form
 * bytes  that the chunks of a block take at most, filtered and with what is
 *        known of each, if one doesn't take more
 */
void dtx_hdf5_find_blocks(const struct dtx_target_file *file,
                          const struct dtx_target_dataset *dataset,
                          int64_t bytes, struct dtx_hdf5_blocks *blocks_out);

/* The box of a block, clipped at the dataset's end. lo, len [ndim] */
void dtx_hdf5_block_box(const struct dtx_hdf5_blocks *blocks,
                        const struct dtx_target_dataset *dataset, int64_t index,
                        int64_t *lo, int64_t *len);

/* How many chunks such a box has. */
int64_t dtx_hdf5_chunks_in(const struct dtx_hdf5_blocks *blocks, int ndim,
                           const int64_t *len);

/* Which of the dataset's chunks its first is. */
int64_t dtx_hdf5_first_chunk(const struct dtx_hdf5_blocks *blocks,
                             const struct dtx_target_dataset *dataset,
                             const int64_t *lo);

#endif
