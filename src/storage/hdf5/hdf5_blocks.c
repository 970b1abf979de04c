#include "storage/hdf5/hdf5_blocks.h"

#include "storage/hdf5/hdf5_library.h"
#include "util/math.h"

/* Enlarges blocks of one chunk by whole chunks, innermost dim first. */
static void
enlarge(struct dtx_hdf5_blocks *b, const struct dtx_target_dataset *d,
        int64_t bytes_most)
{
    int64_t bytes = (int64_t)d->type.size_bytes;
    int dim;

    for (dim = 0; dim < d->ndim; dim++) {
        bytes *= b->block[dim];
    }
    for (dim = d->ndim - 1; dim >= 0; dim--) {
        int64_t chunks = dtx_ceil_div(d->shape[dim], b->block[dim]);
        int64_t more = dtx_max(1, dtx_min(chunks, bytes_most / bytes));

        b->block[dim] *= more;
        bytes *= more;
    }
}

/* Sets a block to a chunk, or to all of a dataset that has none. Negative
 * where HDF5 doesn't say. */
static int
find_chunk(const struct dtx_target_dataset *d, hid_t id,
           struct dtx_hdf5_blocks *b)
{
    hsize_t extents[H5S_MAX_RANK];
    hid_t properties = H5Dget_create_plist(id);
    bool is_chunked;
    int dim, known = 0;

    if (properties < 0) {
        return -1;
    }
    is_chunked = H5Pget_layout(properties) == H5D_CHUNKED;
    if (is_chunked) {
        known = H5Pget_chunk(properties, d->ndim, extents);
    }
    H5Pclose(properties);
    for (dim = 0; dim < d->ndim && known >= 0; dim++) {
        b->block[dim] = is_chunked ? (int64_t)extents[dim] : d->shape[dim];
    }
    return known;
}

enum dtx_status
dtx_hdf5_find_blocks(const struct dtx_target_dataset *dataset, hid_t id,
                     int64_t bytes, const char *path,
                     struct dtx_hdf5_blocks *blocks_out, struct dtx_error *err)
{
    struct dtx_hdf5_blocks b = {.total = 1};
    int dim;

    if (find_chunk(dataset, id, &b) < 0) {
        return dtx_hdf5_fail(err, DTX_ERR_TARGET, "cannot read '%s' of '%s'",
                             dataset->path, path);
    }
    enlarge(&b, dataset, bytes);
    for (dim = 0; dim < dataset->ndim; dim++) {
        b.counts[dim] = dtx_ceil_div(dataset->shape[dim], b.block[dim]);
        b.total *= b.counts[dim];
    }
    *blocks_out = b;
    return DTX_OK;
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
