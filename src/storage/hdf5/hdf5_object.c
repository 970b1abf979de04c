/*
 * Datasets that are no tensors: what is in them, as a digest.
 */
#include "storage/hdf5/hdf5_object.h"

#include "layout/shape.h"
#include "storage/hdf5/hdf5_box.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_types.h"
#include "storage/hdf5/hdf5_value.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"

/* Elements are read so many at a time; what they refer to comes on top. */
enum { STAGE_BYTES = 1 << 16 };

/* An object while it is read. */
struct object {
    const char *file, *dataset;
    hid_t id, type;
    int ndim;
    int64_t shape[H5S_MAX_RANK];
    uint64_t digest;
    struct dtx_error *err;
};

static enum dtx_status
fail_reading(const struct object *o)
{
    return dtx_hdf5_fail(o->err, DTX_ERR_SOURCE,
                         "cannot read dataset '%s' of '%s'", o->dataset,
                         o->file);
}

/* Adds a row of elements along the last dim, or a scalar. */
static enum dtx_status
add_elements(struct object *o, const int64_t *lo, const int64_t *len,
             void *buffer)
{
    hid_t file_space = -1, memory_space = -1;
    int64_t count = dtx_shape_count(o->ndim, len);
    enum dtx_status status = DTX_OK;

    if (dtx_hdf5_select(o->id, o->ndim, lo, len, &file_space, &memory_space) <
        0) {
        return dtx_hdf5_fail(o->err, DTX_ERR_LIMIT, "cannot select elements");
    }
    if (H5Dread(o->id, o->type, memory_space, file_space, H5P_DEFAULT, buffer) <
        0) {
        status = fail_reading(o);
    } else {
        dtx_hdf5_digest_elements(&o->digest, o->type, buffer, (size_t)count);
        if (!dtx_hdf5_is_fixed(o->type)) {
            H5Dvlen_reclaim(o->type, memory_space, H5P_DEFAULT, buffer);
        }
    }
    H5Sclose(file_space);
    H5Sclose(memory_space);
    return status;
}

/* Adds all elements, in row-major order. */
static enum dtx_status
add_all(struct object *o)
{
    size_t size = H5Tget_size(o->type);
    int64_t most = size >= STAGE_BYTES
                       ? 1
                       : dtx_min((int64_t)(STAGE_BYTES / size),
                                 DTX_HDF5_CHUNKS_MOST); /* one in each */
    int64_t lo[H5S_MAX_RANK] = {0}, len[H5S_MAX_RANK];
    void *buffer = dtx_alloc((size_t)most, size);
    enum dtx_status status = buffer == NULL ? dtx_error_memory(o->err) : DTX_OK;
    int dim = 0;

    while (status == DTX_OK && dim >= 0) {
        for (dim = 0; dim < o->ndim; dim++) {
            int64_t left = o->shape[dim] - lo[dim];

            len[dim] = dim + 1 < o->ndim || left > most ? 1 : left;
            if (dim + 1 == o->ndim && left > most) {
                len[dim] = most;
            }
        }
        status = add_elements(o, lo, len, buffer);
        for (dim = o->ndim - 1; dim >= 0; dim--) {
            lo[dim] += len[dim];
            if (lo[dim] < o->shape[dim]) {
                break;
            }
            lo[dim] = 0;
        }
    }
    dtx_free(buffer);
    return status;
}

/* Sets the extents; false where they can't be. */
static bool
find_shape(struct object *o, hid_t space)
{
    hsize_t dims[H5S_MAX_RANK];
    int dim;

    o->ndim = H5Sget_simple_extent_dims(space, dims, NULL);
    for (dim = 0; dim < o->ndim; dim++) {
        if (dims[dim] > INT64_MAX) {
            return false;
        }
        o->shape[dim] = (int64_t)dims[dim];
    }
    return o->ndim >= 0;
}

static enum dtx_status
digest(struct object *o)
{
    hid_t space = H5Dget_space(o->id);
    enum dtx_status status = DTX_OK;

    o->type = dtx_hdf5_transient_type(H5Dget_type(o->id));
    if (space < 0 || o->type < 0 || !find_shape(o, space)) {
        status = fail_reading(o);
    } else {
        o->digest = dtx_hdf5_digest_begin(o->type, space);
        if (H5Sget_simple_extent_npoints(space) > 0) {
            status = add_all(o);
        }
    }
    if (o->type >= 0) {
        H5Tclose(o->type);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return status;
}

enum dtx_status
dtx_hdf5_object_digest(struct dtx_hdf5_handles *sources, const char *file,
                       const char *dataset, uint64_t *digest_out,
                       struct dtx_error *err)
{
    struct object o = {.file = file, .dataset = dataset, .err = err};
    hid_t id;
    enum dtx_status status = dtx_hdf5_use_file(sources, file, file, &id, err);

    if (status != DTX_OK) {
        return status;
    }
    o.id = H5Dopen2(id, dataset, H5P_DEFAULT);
    if (o.id < 0) {
        return fail_reading(&o);
    }
    status = digest(&o);
    H5Dclose(o.id);
    *digest_out = o.digest;
    return status;
}
