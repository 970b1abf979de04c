/*
 * How the datasets of a target are stored.
 *
 * Contiguous: allocated at once and never filled, so that they have a place
 * in the file and read as zeros. Chunked and compressed: as HDF5 does it.
 */
#include "storage/hdf5/hdf5_internal.h"
#include "util/math.h"

enum { GZIP_LEVEL = 4 };

/* At most, in bytes. */
enum { INDEX_PER_CHUNK = 128 };

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

static void
choose_chunk(const struct dtx_target_file *file,
             const struct dtx_target_dataset *dataset, hsize_t *chunk)
{
    if (file->chunk_count > 0) {
        given_chunk(file, dataset, chunk);
    } else {
        own_chunk(dataset, chunk);
    }
}

static herr_t
set_chunks(hid_t properties, const struct dtx_target_file *file,
           const struct dtx_target_dataset *dataset)
{
    hsize_t chunk[H5S_MAX_RANK];

    choose_chunk(file, dataset, chunk);
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

size_t
dtx_hdf5_chunk_bytes(const struct dtx_target_file *file,
                     const struct dtx_target_dataset *dataset)
{
    hsize_t chunk[H5S_MAX_RANK];
    size_t bytes = dataset->type.size_bytes;
    int d;

    if (!has_elements(dataset)) {
        return 0;
    }
    choose_chunk(file, dataset, chunk);
    for (d = 0; d < dataset->ndim; d++) {
        bytes *= (size_t)chunk[d];
    }
    return bytes;
}

uint64_t
dtx_hdf5_room(const struct dtx_target_file *file,
              const struct dtx_target_dataset *dataset)
{
    hsize_t chunk[H5S_MAX_RANK];
    uint64_t chunk_count = 1;
    int d;

    if (!has_elements(dataset)) {
        return 0;
    }
    choose_chunk(file, dataset, chunk);
    for (d = 0; d < dataset->ndim; d++) {
        chunk_count *=
            (uint64_t)dtx_ceil_div(dataset->shape[d], (int64_t)chunk[d]);
    }
    return chunk_count *
           (dtx_hdf5_chunk_bytes(file, dataset) + INDEX_PER_CHUNK);
}

static herr_t
set_contiguous(hid_t properties)
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
    herr_t answer;

    if (properties < 0) {
        return -1;
    }
    if (dtx_hdf5_is_stored(file) && dataset->ndim > 0 &&
        has_elements(dataset)) {
        answer = set_chunks(properties, file, dataset);
    } else {
        answer = set_contiguous(properties);
    }
    /* files of equal content are equal, whenever they were made */
    if (answer < 0 || H5Pset_obj_track_times(properties, 0) < 0) {
        H5Pclose(properties);
        return -1;
    }
    return properties;
}
