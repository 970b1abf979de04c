/*
 * How the datasets of a target are stored.
 *
 * What isn't compressed is allocated at once and never filled, so that it has a
 * place in the file and reads as zeros. Compressed: as HDF5 does it.
 */
#include "storage/hdf5/hdf5_internal.h"
#include "util/math.h"

enum { GZIP_LEVEL = 4 };

/* Of a chunk that we choose ourselves, for gzip without chunks. */
static const int64_t chunk_bytes = (int64_t)1 << 20;

bool
dtx_hdf5_is_stored(const struct dtx_target_file *file)
{
    return (file->chunk_count > 0 || file->gzip) && !file->is_shared;
}

/* Chunk extents are given for the last dims; a tensor with more dims has
 * chunks of 1 along the others, one with less leaves the first out. */
static void
given_chunk(const struct dtx_target_file *file,
            const struct dtx_target_dataset *dataset, hsize_t *chunk)
{
    int shift = file->chunk_count - dataset->ndim;
    int d;

    for (d = 0; d < dataset->ndim; d++) {
        chunk[d] = 1;
        if (d + shift >= 0) {
            chunk[d] = (hsize_t)dtx_max(
                1, dtx_min(file->chunks[d + shift], dataset->shape[d]));
        }
    }
}

/* About as many of the last dims as fit. */
static void
own_chunk(const struct dtx_target_dataset *dataset, hsize_t *chunk)
{
    int64_t room = dtx_max(1, chunk_bytes / (int64_t)dataset->type.size_bytes);
    int d;

    for (d = dataset->ndim - 1; d >= 0; d--) {
        chunk[d] = (hsize_t)dtx_min(room, dataset->shape[d]);
        room = dtx_max(1, room / (int64_t)chunk[d]);
    }
}

static bool
has_elements(const struct dtx_target_dataset *dataset)
{
    int d;

    for (d = 0; d < dataset->ndim; d++) {
        if (dataset->shape[d] == 0) {
            return false;
        }
    }
    return true;
}

bool
dtx_hdf5_is_chunked(const struct dtx_target_file *file,
                    const struct dtx_target_dataset *dataset)
{
    return dtx_hdf5_is_stored(file) && dataset->ndim > 0 &&
           has_elements(dataset);
}

void
dtx_hdf5_choose_chunk(const struct dtx_target_file *file,
                      const struct dtx_target_dataset *dataset, hsize_t *chunk)
{
    if (file->chunk_count > 0) {
        given_chunk(file, dataset, chunk);
    } else {
        own_chunk(dataset, chunk);
    }
}

herr_t
dtx_hdf5_set_chunks(hid_t properties, const struct dtx_target_file *file,
                    const struct dtx_target_dataset *dataset)
{
    hsize_t chunk[H5S_MAX_RANK];

    dtx_hdf5_choose_chunk(file, dataset, chunk);
    if (H5Pset_chunk(properties, dataset->ndim, chunk) < 0) {
        return -1;
    }
    if (!file->gzip) {
        return 0;
    }
    if (dataset->type.size_bytes > 1 && H5Pset_shuffle(properties) < 0) {
        return -1;
    }
    return H5Pset_deflate(properties, GZIP_LEVEL);
}

/* With all chunks or all data in one piece. */
static herr_t
set_allocated(hid_t properties)
{
    if (H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY) < 0) {
        return -1;
    }
    return H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
}

hid_t
dtx_hdf5_make_properties(const struct dtx_target_file *file,
                         const struct dtx_target_dataset *dataset)
{
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    herr_t answer = 0;

    if (properties < 0) {
        return -1;
    }
    if (dtx_hdf5_is_chunked(file, dataset)) {
        answer = dtx_hdf5_set_chunks(properties, file, dataset);
    }
    if (answer >= 0 && !(dtx_hdf5_is_chunked(file, dataset) && file->gzip)) {
        answer = set_allocated(properties);
    }
    /* when a dataset was made isn't a part of it */
    if (answer < 0 || H5Pset_obj_track_times(properties, 0) < 0) {
        H5Pclose(properties);
        return -1;
    }
    return properties;
}
