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

void
dtx_hdf5_unselect(hid_t file_space, hid_t memory_space)
{
    hid_t reason = H5Eget_current_stack();

    H5Sclose(memory_space);
    H5Sclose(file_space);
    if (reason >= 0) {
        H5Eset_current_stack(reason);
    }
}

/* A part of a box, between cuts along the grid of the chunks. */
struct part {
    const struct dtx_hdf5_box *box;
    hsize_t first[H5S_MAX_RANK]; /* [ndim] where it begins, in the box */
    hsize_t step[H5S_MAX_RANK];  /* [ndim] between two cuts: whole chunks */
    hsize_t lead[H5S_MAX_RANK];  /* [ndim] from a cut to where the box begins */
};

/* The first part. Grows innermost dim first, as long as the chunks are few; a
 * dim that isn't filled leaves no room to double the part, so that the next
 * ones stay at one chunk. */
static struct part
first_part(const struct dtx_hdf5_dataset *open, const struct dtx_hdf5_box *box)
{
    struct part p = {.box = box};
    int64_t room = DTX_HDF5_CHUNKS_MOST;
    int d;

    for (d = box->ndim - 1; d >= 0; d--) {
        if (open->chunk_ndim != box->ndim) {
            p.step[d] = (hsize_t)box->len[d];
        } else {
            int64_t chunk = (int64_t)open->chunk[d];
            int64_t lead = box->lo[d] % chunk;
            int64_t chunks = dtx_ceil_div(lead + box->len[d], chunk);
            int64_t taken = dtx_max(1, dtx_min(chunks, room));

            p.step[d] = (hsize_t)(taken * chunk);
            p.lead[d] = (hsize_t)lead;
            room /= taken;
        }
    }
    return p;
}

static hsize_t
part_len(const struct part *p, int d)
{
    hsize_t left = (hsize_t)p->box->len[d] - p->first[d];
    hsize_t step = p->step[d] - (p->first[d] == 0 ? p->lead[d] : 0);

    return left < step ? left : step;
}

static bool
is_whole_box(const struct part *p)
{
    int d;

    for (d = 0; d < p->box->ndim; d++) {
        if (part_len(p, d) != (hsize_t)p->box->len[d]) {
            return false;
        }
    }
    return true;
}

/* Goes on to the next part, in row-major order; false where there is none. */
static bool
next_part(struct part *p)
{
    int d;

    for (d = p->box->ndim - 1; d >= 0; d--) {
        p->first[d] += part_len(p, d);
        if (p->first[d] < (hsize_t)p->box->len[d]) {
            return true;
        }
        p->first[d] = 0;
    }
    return false;
}

static herr_t
select_part(const struct part *p, hid_t file_space, hid_t memory_space)
{
    hsize_t start[H5S_MAX_RANK];
    hsize_t count[H5S_MAX_RANK];
    int d;

    for (d = 0; d < p->box->ndim; d++) {
        start[d] = (hsize_t)p->box->lo[d] + p->first[d];
        count[d] = part_len(p, d);
    }
    if (H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count,
                            NULL) < 0) {
        return -1;
    }
    return H5Sselect_hyperslab(memory_space, H5S_SELECT_SET, p->first, NULL,
                               count, NULL);
}

herr_t
dtx_hdf5_move_parts(const struct dtx_hdf5_dataset *open,
                    const struct dtx_hdf5_box *box, dtx_hdf5_move *move,
                    void *context)
{
    struct part part = first_part(open, box);
    bool is_whole = is_whole_box(&part);
    hid_t file_space;
    hid_t memory_space;
    herr_t answer;

    if (dtx_hdf5_select(open->id, box->ndim, box->lo, box->len, &file_space,
                        &memory_space) < 0) {
        return -1;
    }
    do {
        answer = is_whole ? 0 : select_part(&part, file_space, memory_space);
        if (answer >= 0) {
            answer = move(open, memory_space, file_space, context);
        }
    } while (answer >= 0 && next_part(&part));
    dtx_hdf5_unselect(file_space, memory_space);
    return answer;
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

static herr_t
read_part(const struct dtx_hdf5_dataset *open, hid_t memory_space,
          hid_t file_space, void *context)
{
    return H5Dread(open->id, open->type, memory_space, file_space, H5P_DEFAULT,
                   context);
}

enum dtx_status
dtx_hdf5_read_box(struct dtx_hdf5_handles *sources, struct dtx_hdf5_name name,
                  const struct dtx_hdf5_box *box, void *buffer,
                  struct dtx_error *err)
{
    const struct dtx_hdf5_dataset *open;
    enum dtx_status status;

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
    if (dtx_hdf5_move_parts(open, box, read_part, buffer) < 0) {
        status = dtx_hdf5_fail(err, DTX_ERR_SOURCE,
                               "cannot read dataset '%s' of '%s'", name.dataset,
                               name.file);
    }
    return status;
}
