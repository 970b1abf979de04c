/*
 * Types that dtx doesn't know: their encoding, and what to call them.
 */
#include <string.h>

#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_types.h"
#include "util/alloc.h"
#include "util/error.h"

struct parts {
    bool has_variable;
    bool has_reference;
};

static void look(hid_t type, int depth, struct parts *parts);

static void
look_and_close(hid_t type, int depth, struct parts *parts)
{
    if (type < 0) {
        parts->has_variable = true; /* unreadable: no tensor */
        return;
    }
    look(type, depth, parts);
    H5Tclose(type);
}

static void
look_at_members(hid_t type, int depth, struct parts *parts)
{
    int count = H5Tget_nmembers(type);
    int i;

    for (i = 0; i < count; i++) {
        look_and_close(H5Tget_member_type(type, (unsigned)i), depth + 1, parts);
    }
}

static void
look(hid_t type, int depth, struct parts *parts)
{
    if (depth > DTX_HDF5_NESTING_MAX) {
        parts->has_variable = true;
        return;
    }
    switch ((int)H5Tget_class(type)) {
    case H5T_STRING:
        parts->has_variable |= H5Tis_variable_str(type) > 0;
        break;
    case H5T_VLEN:
        parts->has_variable = true;
        look_and_close(H5Tget_super(type), depth + 1, parts);
        break;
    case H5T_REFERENCE:
        parts->has_reference = true;
        break;
    case H5T_COMPOUND:
        look_at_members(type, depth, parts);
        break;
    case H5T_ARRAY:
        look_and_close(H5Tget_super(type), depth + 1, parts);
        break;
    default:
        break;
    }
}

bool
dtx_hdf5_is_fixed(hid_t type)
{
    struct parts parts = {0};

    look(type, 0, &parts);
    return !parts.has_variable && !parts.has_reference;
}

bool
dtx_hdf5_has_reference(hid_t type)
{
    struct parts parts = {0};

    look(type, 0, &parts);
    return parts.has_reference;
}

/* ---------------------------------------------------------------- encoding */

/* Types that are equal can be encoded in several versions of the format, by
 * what wrote their file; those made anew here are all of one. */
static hid_t make_anew(hid_t type, int depth);

static hid_t
make_anew_and_close(hid_t type, int depth)
{
    hid_t made = type < 0 ? H5I_INVALID_HID : make_anew(type, depth);

    if (type >= 0) {
        H5Tclose(type);
    }
    return made;
}

/* Adds a member of one compound type to another. */
static int
add_member(hid_t made, hid_t type, unsigned number, int depth)
{
    char *name = H5Tget_member_name(type, number);
    hid_t member =
        make_anew_and_close(H5Tget_member_type(type, number), depth + 1);
    int status = -1;

    if (name != NULL && member >= 0 &&
        H5Tinsert(made, name, H5Tget_member_offset(type, number), member) >=
            0) {
        status = 0;
    }
    if (member >= 0) {
        H5Tclose(member);
    }
    H5free_memory(name);
    return status;
}

static hid_t
compound_anew(hid_t type, int depth)
{
    hid_t made = H5Tcreate(H5T_COMPOUND, H5Tget_size(type));
    int count = H5Tget_nmembers(type);
    int i;

    for (i = 0; made >= 0 && i < count; i++) {
        if (add_member(made, type, (unsigned)i, depth) != 0) {
            H5Tclose(made);
            made = H5I_INVALID_HID;
        }
    }
    return made;
}

static int
add_value(hid_t made, hid_t type, unsigned number)
{
    char *name = H5Tget_member_name(type, number);
    void *value = dtx_alloc(H5Tget_size(type), 1);
    int status = -1;

    if (name != NULL && value != NULL &&
        H5Tget_member_value(type, number, value) >= 0 &&
        H5Tenum_insert(made, name, value) >= 0) {
        status = 0;
    }
    dtx_free(value);
    H5free_memory(name);
    return status;
}

static hid_t
enumeration_anew(hid_t type)
{
    hid_t base = H5Tget_super(type);
    hid_t made = base < 0 ? H5I_INVALID_HID : H5Tenum_create(base);
    int count = H5Tget_nmembers(type);
    int i;

    for (i = 0; made >= 0 && i < count; i++) {
        if (add_value(made, type, (unsigned)i) != 0) {
            H5Tclose(made);
            made = H5I_INVALID_HID;
        }
    }
    if (base >= 0) {
        H5Tclose(base);
    }
    return made;
}

static hid_t
array_anew(hid_t type, int depth)
{
    hsize_t extents[H5S_MAX_RANK];
    int ndim = H5Tget_array_dims2(type, extents);
    hid_t element = make_anew_and_close(H5Tget_super(type), depth + 1);
    hid_t made = ndim < 0 || element < 0
                     ? H5I_INVALID_HID
                     : H5Tarray_create2(element, (unsigned)ndim, extents);

    if (element >= 0) {
        H5Tclose(element);
    }
    return made;
}

static hid_t
sequence_anew(hid_t type, int depth)
{
    hid_t element = make_anew_and_close(H5Tget_super(type), depth + 1);
    hid_t made = element < 0 ? H5I_INVALID_HID : H5Tvlen_create(element);

    if (element >= 0) {
        H5Tclose(element);
    }
    return made;
}

static hid_t
make_anew(hid_t type, int depth)
{
    if (depth > DTX_HDF5_NESTING_MAX) {
        return H5I_INVALID_HID;
    }
    switch ((int)H5Tget_class(type)) {
    case H5T_COMPOUND:
        return compound_anew(type, depth);
    case H5T_ENUM:
        return enumeration_anew(type);
    case H5T_ARRAY:
        return array_anew(type, depth);
    case H5T_VLEN:
        return sequence_anew(type, depth);
    default:
        return H5Tcopy(type);
    }
}

hid_t
dtx_hdf5_make_anew(hid_t type)
{
    return make_anew(type, 0);
}

static enum dtx_status
encode(struct dtx_raw_type *raw, hid_t type, struct dtx_hdf5_place place,
       struct dtx_error *err)
{
    unsigned char *bytes;
    size_t count = 0;

    if (H5Tencode(type, NULL, &count) < 0) {
        return dtx_hdf5_fail(err, DTX_ERR_SOURCE,
                             "cannot read the type of dataset '%s' of '%s'",
                             place.dataset, place.file);
    }
    bytes = dtx_alloc(count, 1);
    if (bytes == NULL) {
        return dtx_error_memory(err);
    }
    raw->bytes = bytes;
    raw->byte_count = count;
    if (H5Tencode(type, bytes, &count) < 0) {
        return dtx_hdf5_fail(err, DTX_ERR_SOURCE,
                             "cannot read the type of dataset '%s' of '%s'",
                             place.dataset, place.file);
    }
    return DTX_OK;
}

enum dtx_status
dtx_hdf5_raw_init(struct dtx_raw_type *raw, hid_t type,
                  struct dtx_hdf5_place place, struct dtx_error *err)
{
    struct dtx_text text = {0};
    hid_t made = dtx_hdf5_make_anew(type);
    enum dtx_status status;

    *raw = (struct dtx_raw_type){.size_bytes = H5Tget_size(type)};
    status = encode(raw, made >= 0 ? made : type, place, err);
    if (made >= 0) {
        H5Tclose(made);
    }
    if (status != DTX_OK) {
        dtx_hdf5_raw_finish(raw);
        return status;
    }
    dtx_hdf5_describe_type(type, &text);
    if (text.failed) {
        dtx_text_finish(&text);
        dtx_hdf5_raw_finish(raw);
        return dtx_error_memory(err);
    }
    raw->description = text.data;
    return DTX_OK;
}

void
dtx_hdf5_raw_finish(struct dtx_raw_type *raw)
{
    dtx_free((void *)raw->bytes);
    dtx_free((void *)raw->description);
    *raw = (struct dtx_raw_type){0};
}
