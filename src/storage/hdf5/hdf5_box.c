#include "storage/hdf5/hdf5_box.h"

#include "storage/hdf5/hdf5_library.h"
#include "util/error.h"
#include "util/math.h"

size_t
dtx_hdf5_box_bytes(const struct dtx_hdf5_box *box)
{
    size_t bytes = box->element_bytes;
    int d;

    for (d = 0; d < box->ndim; d++) {
        if (box->len[d] < 0 ||
            dtx_mul_overflows(bytes, (size_t)box->len[d], &bytes)) {
            return 0;
        }
    }
    return bytes;
}

herr_t
dtx_hdf5_select(hid_t dataset, int ndim, const int64_t *lo, const int64_t *len,
                hid_t *file_space_out, hid_t *memory_space_out)
{
    hsize_t start[H5S_MAX_RANK];
    hsize_t count[H5S_MAX_RANK];
    hid_t memory_space = -1;
    hid_t file_space = H5Dget_space(dataset);
    int d;

    for (d = 0; d < ndim; d++) {
        start[d] = (hsize_t)lo[d];
        count[d] = (hsize_t)len[d];
    }
    if (file_space < 0) {
        return -1;
    }
    if (ndim == 0) {
        memory_space = H5Screate(H5S_SCALAR);
    } else if (H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL,
                                   count, NULL) >= 0) {
        memory_space = H5Screate_simple(ndim, count, NULL);
    }
    if (memory_space < 0) {
        H5Sclose(file_space);
        return -1;
    }
    *file_space_out = file_space;
    *memory_space_out = memory_space;
    return 0;
}

/* The file may have been replaced since it was scanned, and the buffer is for
 * what it held then. */
static bool
is_as_listed(const struct dtx_hdf5_dataset *open,
             const struct dtx_hdf5_box *box)
{
    hsize_t dims[H5S_MAX_RANK];
    hid_t space = H5Dget_space(open->id);
    int ndim = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dims, NULL);
    bool is_alike =
        ndim == box->ndim && H5Tget_size(open->type) == box->element_bytes;
    int d;

    if (space >= 0) {
        H5Sclose(space);
    }
    for (d = 0; d < ndim && is_alike; d++) {
        is_alike = dims[d] == (hsize_t)box->shape[d];
    }
    return is_alike;
}

enum dtx_status
dtx_hdf5_read_box(struct dtx_hdf5_handles *sources, struct dtx_hdf5_name name,
                  const struct dtx_hdf5_box *box, void *buffer,
                  struct dtx_error *err)
{
    const struct dtx_hdf5_dataset *open;
    enum dtx_status status;
    hid_t file_space = -1;
    hid_t memory_space = -1;

    status = dtx_hdf5_use_dataset(sources, name, &open, err);
    if (status != DTX_OK) {
        return status;
    }
    if (!is_as_listed(open, box)) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "cannot read dataset '%s' of '%s': the file was "
                             "changed while it was read",
                             name.dataset, name.file);
    }
    if (dtx_hdf5_select(open->id, box->ndim, box->lo, box->len, &file_space,
                        &memory_space) < 0 ||
        H5Dread(open->id, open->type, memory_space, file_space, H5P_DEFAULT,
                buffer) < 0) {
        status = dtx_hdf5_fail(err, DTX_ERR_SOURCE,
                               "cannot read dataset '%s' of '%s'", name.dataset,
                               name.file);
    }
    if (memory_space >= 0) {
        H5Sclose(memory_space);
        H5Sclose(file_space);
    }
    return status;
}
