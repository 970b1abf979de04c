#include "storage/hdf5/hdf5_blocks.h"

#include "layout/shape.h"
#include "storage/hdf5/hdf5_box.h"
#include "storage/hdf5/hdf5_internal.h"
#include "util/math.h"

/* Sets a block to a chunk, or to all of a dataset that has none. */
static void
find_chunk(const struct dtx_target_file *file,
           const struct dtx_target_dataset *d, struct dtx_hdf5_blocks *b)
{
    hsize_t chunk[H5S_MAX_RANK];
    bool is_chunked = dtx_hdf5_is_chunked(file, d);
    int dim;

    if (is_chunked) {
        dtx_hdf5_choose_chunk(file, d, chunk);
    }
    b->chunk_bytes = d->type.size_bytes;
    b->chunk_count = 1;
    for (dim = 0; dim < d->ndim; dim++) {
        b->chunk[dim] = is_chunked ? (int64_t)chunk[dim] : d->shape[dim];
        b->block[dim] = b->chunk[dim];
        b->chunk_bytes *= (size_t)b->chunk[dim];
    }
    /* HDF5 lets zlib add a thousandth and 12 bytes */
    b->filtered_bytes = b->chunk_bytes + b->chunk_bytes / 512 + 64;
}

/* Enlarges blocks of one chunk by whole chunks, innermost dim first. As a dim
 * that isn't filled leaves no room to double the block, the next ones stay at
 * one chunk: the chunks of a block follow one another. */
static void
enlarge(struct dtx_hdf5_blocks *b, const struct dtx_target_dataset *d,
        int64_t bytes_most)
{
    int64_t chunk_bytes =
        (int64_t)(b->filtered_bytes + sizeof(struct dtx_hdf5_chunk));
    int64_t most = dtx_min(bytes_most / chunk_bytes, DTX_HDF5_CHUNKS_MOST);
    int dim;

    for (dim = d->ndim - 1; dim >= 0; dim--) {
        int64_t chunks = dtx_ceil_div(d->shape[dim], b->block[dim]);
        int64_t more = dtx_max(1, dtx_min(chunks, most / b->chunk_count));

        b->block[dim] *= more;
        b->chunk_count *= more;
    }
}

void
dtx_hdf5_find_blocks(const struct dtx_target_file *file,
                     const struct dtx_target_dataset *dataset, int64_t bytes,
                     struct dtx_hdf5_blocks *blocks_out)
{
    struct dtx_hdf5_blocks b = {0};
    int dim;

    if (dtx_shape_count(dataset->ndim, dataset->shape) > 0) {
        find_chunk(file, dataset, &b);
        enlarge(&b, dataset, bytes);
        b.total = 1;
        for (dim = 0; dim < dataset->ndim; dim++) {
            b.counts[dim] = dtx_ceil_div(dataset->shape[dim], b.block[dim]);
            b.total *= b.counts[dim];
        }
    }
    *blocks_out = b;
}

void
dtx_hdf5_block_box(const struct dtx_hdf5_blocks *blocks,
                   const struct dtx_target_dataset *dataset, int64_t index,
                   int64_t *lo, int64_t *len)
{
    int dim;

    for (dim = dataset->ndim - 1; dim >= 0; dim--) {
        lo[dim] = index % blocks->counts[dim] * blocks->block[dim];
        len[dim] = dtx_min(blocks->block[dim], dataset->shape[dim] - lo[dim]);
        index /= blocks->counts[dim];
    }
}

int64_t
dtx_hdf5_chunks_in(const struct dtx_hdf5_blocks *blocks, int ndim,
                   const int64_t *len)
{
    int64_t count = 1;
    int dim;

    for (dim = 0; dim < ndim; dim++) {
        count *= dtx_ceil_div(len[dim], blocks->chunk[dim]);
    }
    return count;
}

int64_t
dtx_hdf5_first_chunk(const struct dtx_hdf5_blocks *blocks,
                     const struct dtx_target_dataset *dataset,
                     const int64_t *lo)
{
    int64_t number = 0;
    int dim;

    for (dim = 0; dim < dataset->ndim; dim++) {
        number *= dtx_ceil_div(dataset->shape[dim], blocks->chunk[dim]);
        number += lo[dim] / blocks->chunk[dim];
    }
    return number;
}
