/*
 * Datasets that show what stands in other files.
 *
 * A name of HDF5's virtual datasets is a pattern: "%b" stands for a number,
 * and "%%" for a percent sign. A relative file is looked for beside the one
 * that names it.
 */
#include "layout/shape.h"
#include "storage/hdf5/hdf5_internal.h"
#include "util/text.h"

struct viewing {
    const struct dtx_target_dataset *dataset;
    hid_t properties;
    hid_t space; /* of the dataset */
};

static void
add_pattern(struct dtx_text *text, const char *name)
{
    for (; *name != '\0'; name++) {
        dtx_text_add_bytes(text, name, 1);
        dtx_text_add(text, *name == '%' ? "%" : "");
    }
}

/* Selects a box of a dataspace; there is none of a scalar. */
static herr_t
select_box(hid_t space, int ndim, const int64_t *lo, const int64_t *len)
{
    hsize_t start[H5S_MAX_RANK], count[H5S_MAX_RANK];
    int d;

    for (d = 0; d < ndim; d++) {
        start[d] = (hsize_t)lo[d];
        count[d] = (hsize_t)len[d];
    }
    return ndim == 0 ? 0
                     : H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL,
                                           count, NULL);
}

static hid_t
make_space(int ndim, const int64_t *shape)
{
    hsize_t dims[H5S_MAX_RANK];
    int d;

    for (d = 0; d < ndim; d++) {
        dims[d] = (hsize_t)shape[d];
    }
    return ndim == 0 ? H5Screate(H5S_SCALAR)
                     : H5Screate_simple(ndim, dims, NULL);
}

static int
add_part(const struct dtx_target_part *part, void *context)
{
    const struct viewing *v = context;
    int ndim = v->dataset->ndim;
    struct dtx_text file = {0}, path = {0};
    hid_t source = make_space(ndim, part->shape);
    herr_t answer = -1;

    add_pattern(&file, part->file);
    dtx_text_add(&path, "/");
    add_pattern(&path, part->path);
    if (source >= 0 && !file.failed && !path.failed &&
        select_box(source, ndim, part->local, part->len) >= 0 &&
        select_box(v->space, ndim, part->lo, part->len) >= 0) {
        answer = H5Pset_virtual(v->properties, v->space, file.data, path.data,
                                source);
    }
    if (source >= 0) {
        H5Sclose(source);
    }
    dtx_text_finish(&file);
    dtx_text_finish(&path);
    return answer < 0 ? -1 : 0;
}

hid_t
dtx_hdf5_make_view(const struct dtx_target_file *file, int dataset)
{
    const struct dtx_target_dataset *d = &file->datasets[dataset];
    struct viewing v = {.dataset = d,
                        .properties = H5Pcreate(H5P_DATASET_CREATE),
                        .space = make_space(d->ndim, d->shape)};
    /* files of equal content are equal, whenever they were made */
    bool is_made =
        v.properties >= 0 && v.space >= 0 &&
        H5Pset_obj_track_times(v.properties, 0) >= 0 &&
        file->view->each_part(file->view, dataset, add_part, &v) == 0;

    if (v.space >= 0) {
        H5Sclose(v.space);
    }
    if (!is_made && v.properties >= 0) {
        H5Pclose(v.properties);
    }
    return is_made ? v.properties : -1;
}
