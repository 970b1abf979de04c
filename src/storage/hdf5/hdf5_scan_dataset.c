#include <inttypes.h>

#include "layout/listing.h"
#include "layout/shape.h"
#include "storage/hdf5/hdf5_attributes.h"
#include "storage/hdf5/hdf5_elsewhere.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_scan.h"
#include "util/error.h"
#include "util/math.h"

/* A dataset on its way into the listing. */
struct entry {
    struct dtx_hdf5_place place;
    struct dtx_error *err;
    uint64_t file_bytes;
    bool is_foreign;
    hid_t dataset;
    hid_t type;
    hid_t space;
    uint64_t data_bytes; /* of all elements */
    int64_t shape[H5S_MAX_RANK];
    struct dtx_hdf5_found *found;
    struct dtx_dataset out;
};

static enum dtx_status
fail_reading(struct entry *entry)
{
    return dtx_hdf5_fail(entry->err, DTX_ERR_SOURCE,
                         "cannot read dataset '%s' of '%s'",
                         entry->place.dataset, entry->place.file);
}

static enum dtx_status
find_type(struct entry *entry)
{
    enum dtx_dtype mark = DTX_RAW;
    struct dtx_hdf5_type found;
    enum dtx_status status;
    H5T_class_t class = H5Tget_class(entry->type);

    if (class == H5T_OPAQUE || class == H5T_INTEGER) {
        mark = dtx_hdf5_read_mark(entry->dataset);
    }
    status =
        dtx_hdf5_classify(entry->type, mark, entry->place, &found, entry->err);
    if (status != DTX_OK) {
        return status;
    }
    entry->out.type = found.type;
    entry->out.is_big_endian = found.is_big_endian;
    if (!found.is_fixed) {
        entry->out.form = DTX_FORM_OBJECT;
    }
    return DTX_OK;
}

/* The number of elements of a dataspace, and its extents; -1 where it can't be
 * told or is more than we count. */
static int64_t
read_extents(struct entry *entry)
{
    hsize_t dims[H5S_MAX_RANK];
    hsize_t most[H5S_MAX_RANK];
    int d;

    entry->out.ndim = H5Sget_simple_extent_dims(entry->space, dims, most);
    for (d = 0; d < entry->out.ndim; d++) {
        if (dims[d] > INT64_MAX || dims[d] > most[d]) {
            return -1;
        }
        entry->shape[d] = (int64_t)dims[d];
    }
    entry->out.shape = entry->shape;
    if (entry->out.ndim < 0) {
        return -1;
    }
    return dtx_shape_count(entry->out.ndim, entry->shape);
}

static enum dtx_status
find_shape(struct entry *entry)
{
    int64_t count;

    if (H5Sget_simple_extent_type(entry->space) == H5S_NULL) {
        entry->out.form = DTX_FORM_OBJECT;
        return DTX_OK;
    }
    count = read_extents(entry);
    if (count < 0 ||
        dtx_mul_overflows((uint64_t)count, entry->out.type.size_bytes,
                          &entry->data_bytes) ||
        entry->data_bytes > INT64_MAX) {
        return dtx_error_set(
            entry->err, DTX_ERR_SOURCE,
            "dataset '%s' of '%s' is said to have more elements than any "
            "file can hold: the file is damaged",
            entry->place.dataset, entry->place.file);
    }
    return DTX_OK;
}

/* Of contiguous data in the file itself. */
static enum dtx_status
check_extent(struct entry *entry)
{
    uint64_t end;

    if (dtx_add_overflows(entry->out.offset, entry->data_bytes, &end) ||
        end > entry->file_bytes) {
        return dtx_error_set(
            entry->err, DTX_ERR_SOURCE,
            "dataset '%s' of '%s' needs %" PRIu64 " bytes from byte %" PRIu64
            " on, and the file ends at byte %" PRIu64
            ": it is truncated or damaged",
            entry->place.dataset, entry->place.file, entry->data_bytes,
            entry->out.offset, entry->file_bytes);
    }
    if (H5Dget_storage_size(entry->dataset) < entry->data_bytes) {
        return dtx_error_set(entry->err, DTX_ERR_SOURCE,
                             "dataset '%s' of '%s' has less storage than its "
                             "shape needs: the file is damaged",
                             entry->place.dataset, entry->place.file);
    }
    return DTX_OK;
}

/* HDF5 makes no chunk that is larger than its dataset can become, and reads
 * beyond its buffers where a damaged file says so. */
static enum dtx_status
check_chunk(struct entry *entry, hid_t properties)
{
    hsize_t dims[H5S_MAX_RANK];
    hsize_t most[H5S_MAX_RANK];
    hsize_t chunk[H5S_MAX_RANK];
    int ndim = H5Pget_chunk(properties, H5S_MAX_RANK, chunk);
    int d;

    if (ndim != H5Sget_simple_extent_dims(entry->space, dims, most)) {
        ndim = -1;
    }
    for (d = 0; d < ndim && chunk[d] > 0 && chunk[d] <= most[d]; d++) {
    }
    if (ndim < 0 || d < ndim) {
        return dtx_error_set(entry->err, DTX_ERR_SOURCE,
                             "dataset '%s' of '%s' has chunks that don't fit "
                             "its shape: the file is damaged",
                             entry->place.dataset, entry->place.file);
    }
    return DTX_OK;
}

static enum dtx_status
check_filters(struct entry *entry, hid_t properties)
{
    int count = H5Pget_nfilters(properties);
    unsigned flags;
    size_t values;
    char name[64];
    H5Z_filter_t filter;
    int i;

    for (i = 0; i < count; i++) {
        values = 0;
        name[0] = '\0';
        filter = H5Pget_filter2(properties, (unsigned)i, &flags, &values, NULL,
                                sizeof name, name, NULL);
        if (filter < 0) {
            return fail_reading(entry);
        }
        if (H5Zfilter_avail(filter) <= 0) {
            dtx_error_set(entry->err, DTX_ERR_SOURCE,
                          "dataset '%s' of '%s' is compressed with a filter "
                          "that this HDF5 doesn't have: '%s' (number %d)",
                          entry->place.dataset, entry->place.file, name,
                          filter);
            dtx_error_hint(entry->err, "HDF5_PLUGIN_PATH tells HDF5 where "
                                       "more filters are");
            return DTX_ERR_SOURCE;
        }
    }
    return DTX_OK;
}

/* Of data that goes through HDF5: whether it is all there. */
static enum dtx_status
check_stored(struct entry *entry, hid_t properties)
{
    enum dtx_status status;

    switch (H5Pget_layout(properties)) {
    case H5D_CONTIGUOUS: /* never written, or in files of its own */
        return dtx_hdf5_check_external(properties, entry->data_bytes,
                                       entry->place, &entry->found->elsewhere,
                                       entry->err);
    case H5D_COMPACT:
        return DTX_OK;
    case H5D_CHUNKED:
        status = check_chunk(entry, properties);
        return status == DTX_OK ? check_filters(entry, properties) : status;
    case H5D_VIRTUAL:
        return dtx_hdf5_check_virtual(entry->dataset, entry->place,
                                      &entry->found->elsewhere, entry->err);
    case H5D_LAYOUT_ERROR:
    case H5D_NLAYOUTS:
        break;
    }
    return fail_reading(entry);
}

static enum dtx_status
find_form(struct entry *entry)
{
    enum dtx_status status;
    hid_t properties;
    haddr_t offset;

    if (entry->data_bytes == 0) {
        entry->out.form = DTX_FORM_EMPTY;
        return DTX_OK;
    }
    offset = H5Dget_offset(entry->dataset);
    if (offset != HADDR_UNDEF && !entry->is_foreign) {
        entry->out.form = DTX_FORM_CONTIGUOUS;
        entry->out.offset = offset;
        return check_extent(entry);
    }
    entry->out.form = DTX_FORM_STORED;
    /* only here: it takes as long as all the rest */
    properties = H5Dget_create_plist(entry->dataset);
    if (properties < 0) {
        return fail_reading(entry);
    }
    status = check_stored(entry, properties);
    H5Pclose(properties);
    return status;
}

/* Objects are copied whole, but of one that shows what other files hold HDF5
 * copies only where that was, seen from here. */
static enum dtx_status
check_object(struct entry *entry)
{
    hid_t properties = H5Dget_create_plist(entry->dataset);
    bool is_elsewhere;

    if (properties < 0) {
        return fail_reading(entry);
    }
    is_elsewhere = H5Pget_layout(properties) == H5D_VIRTUAL ||
                   H5Pget_external_count(properties) > 0;
    H5Pclose(properties);
    if (!is_elsewhere) {
        return DTX_OK;
    }
    return dtx_error_set(entry->err, DTX_ERR_SOURCE,
                         "dataset '%s' of '%s' has elements of variable "
                         "length, or references, that other files hold: such "
                         "can't be carried over",
                         entry->place.dataset, entry->place.file);
}

static enum dtx_status
list_entry(struct entry *entry)
{
    struct dtx_text *listing = entry->found->listing;
    struct dtx_raw_type raw;
    enum dtx_status status;

    if (entry->out.type.dtype != DTX_RAW) {
        dtx_listing_dataset(listing, &entry->out, NULL);
        return DTX_OK;
    }
    status = dtx_hdf5_raw_init(&raw, entry->type, entry->place, entry->err);
    if (status == DTX_OK) {
        dtx_listing_dataset(listing, &entry->out, &raw);
        dtx_hdf5_raw_finish(&raw);
    }
    return status;
}

static enum dtx_status
describe(struct entry *entry)
{
    enum dtx_status status;

    entry->out.path = entry->place.dataset;
    if (entry->type < 0 || entry->space < 0) {
        return fail_reading(entry);
    }
    status = find_type(entry);
    if (status == DTX_OK) {
        status = find_shape(entry);
    }
    if (status == DTX_OK) {
        status = entry->out.form == DTX_FORM_OBJECT ? check_object(entry)
                                                    : find_form(entry);
    }
    if (status == DTX_OK) {
        status = dtx_hdf5_list_attributes(entry->dataset, entry->out.type.dtype,
                                          entry->place, &entry->found->arena,
                                          &entry->out.attribute_count,
                                          &entry->out.attributes, entry->err);
    }
    return status;
}

enum dtx_status
dtx_hdf5_scan_dataset(hid_t dataset, struct dtx_hdf5_place place,
                      uint64_t file_bytes, bool is_foreign,
                      struct dtx_hdf5_found *found, struct dtx_error *err)
{
    struct entry entry = {.place = place,
                          .err = err,
                          .file_bytes = file_bytes,
                          .is_foreign = is_foreign,
                          .dataset = dataset,
                          .found = found};
    enum dtx_status status;

    /* in this order: the reason that is told is of the last call */
    entry.space = H5Dget_space(dataset);
    entry.type = entry.space < 0 ? -1 : H5Dget_type(dataset);
    status = describe(&entry);
    if (status == DTX_OK) {
        status = list_entry(&entry);
    }
    if (entry.type >= 0) {
        H5Tclose(entry.type);
    }
    if (entry.space >= 0) {
        H5Sclose(entry.space);
    }
    return status;
}
