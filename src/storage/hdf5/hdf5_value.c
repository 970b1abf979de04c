#include "storage/hdf5/hdf5_value.h"

#include <string.h>

#include "storage/hdf5/hdf5_types.h"
#include "util/alloc.h"

/* FNV-1a with 64 bits: attributes are small, and only told apart. */
static const uint64_t fnv_basis = 0xcbf29ce484222325u;
static const uint64_t fnv_prime = 0x100000001b3u;

static void
mix(uint64_t *digest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    size_t i;

    for (i = 0; i < count; i++) {
        *digest = (*digest ^ at[i]) * fnv_prime;
    }
}

static void mix_element(uint64_t *digest, hid_t type, const void *element);

void
dtx_hdf5_digest_elements(uint64_t *digest, hid_t type, const void *elements,
                         size_t count)
{
    size_t bytes = H5Tget_size(type);
    size_t i;

    if (dtx_hdf5_is_fixed(type)) {
        mix(digest, elements, count * bytes);
        return;
    }
    for (i = 0; i < count; i++) {
        mix_element(digest, type, (const char *)elements + i * bytes);
    }
}

static void
mix_string(uint64_t *digest, const void *element)
{
    const char *string = *(const char *const *)element;

    if (string != NULL) {
        mix(digest, string, strlen(string) + 1);
    } else {
        mix(digest, "\377", 1); /* of no string in UTF-8 or ASCII */
    }
}

static void
mix_sequence(uint64_t *digest, hid_t type, const hvl_t *sequence)
{
    hid_t part = H5Tget_super(type);

    mix(digest, &sequence->len, sizeof sequence->len);
    if (part >= 0) {
        dtx_hdf5_digest_elements(digest, part, sequence->p, sequence->len);
        H5Tclose(part);
    }
}

static void
mix_array(uint64_t *digest, hid_t type, const void *element)
{
    hid_t part = H5Tget_super(type);

    if (part >= 0) {
        dtx_hdf5_digest_elements(digest, part, element,
                                 H5Tget_size(type) / H5Tget_size(part));
        H5Tclose(part);
    }
}

static void
mix_members(uint64_t *digest, hid_t type, const void *element)
{
    int count = H5Tget_nmembers(type);
    hid_t part;
    int i;

    for (i = 0; i < count; i++) {
        part = H5Tget_member_type(type, (unsigned)i);
        if (part >= 0) {
            dtx_hdf5_digest_elements(
                digest, part,
                (const char *)element + H5Tget_member_offset(type, (unsigned)i),
                1);
            H5Tclose(part);
        }
    }
}

/* Of a type with parts of variable length. */
static void
mix_element(uint64_t *digest, hid_t type, const void *element)
{
    switch ((int)H5Tget_class(type)) {
    case H5T_STRING:
        mix_string(digest, element);
        break;
    case H5T_VLEN:
        mix_sequence(digest, type, element);
        break;
    case H5T_ARRAY:
        mix_array(digest, type, element);
        break;
    case H5T_COMPOUND:
        mix_members(digest, type, element);
        break;
    default:
        break; /* a reference says nothing outside of its file */
    }
}

static void
mix_type(uint64_t *digest, hid_t type)
{
    hid_t made = dtx_hdf5_make_anew(type);
    unsigned char *bytes;
    size_t count = 0;

    type = made >= 0 ? made : type;
    if (H5Tencode(type, NULL, &count) >= 0) {
        bytes = dtx_alloc(count, 1);
        if (bytes != NULL && H5Tencode(type, bytes, &count) >= 0) {
            mix(digest, bytes, count);
        }
        dtx_free(bytes);
    }
    if (made >= 0) {
        H5Tclose(made);
    }
}

uint64_t
dtx_hdf5_digest_begin(hid_t type, hid_t space)
{
    uint64_t digest = fnv_basis;
    hsize_t dims[H5S_MAX_RANK];
    int ndim = H5Sget_simple_extent_dims(space, dims, NULL);

    mix_type(&digest, type);
    if (ndim > 0) {
        mix(&digest, dims, (size_t)ndim * sizeof dims[0]);
    }
    return digest;
}

uint64_t
dtx_hdf5_value_digest(const struct dtx_hdf5_value *value)
{
    uint64_t digest = dtx_hdf5_digest_begin(value->type, value->space);

    if (value->data != NULL) {
        dtx_hdf5_digest_elements(&digest, value->type, value->data,
                                 value->count);
    }
    return digest;
}

/* Fills value->data of a space that isn't null. */
static herr_t
read_data(hid_t attribute, struct dtx_hdf5_value *value, bool *no_memory_out)
{
    hssize_t count = H5Sget_simple_extent_npoints(value->space);

    if (count < 0) {
        return -1;
    }
    value->data = dtx_alloc((size_t)count, H5Tget_size(value->type));
    if (value->data == NULL) {
        *no_memory_out = true;
        return -1;
    }
    if (H5Aread(attribute, value->type, value->data) < 0) {
        dtx_free(value->data); /* nothing in it to reclaim */
        value->data = NULL;
        return -1;
    }
    value->count = (size_t)count;
    return 0;
}

hid_t
dtx_hdf5_transient_type(hid_t named)
{
    hid_t type = named < 0 ? -1 : H5Tcopy(named);

    if (named >= 0) {
        H5Tclose(named);
    }
    return type;
}

herr_t
dtx_hdf5_value_read(hid_t attribute, struct dtx_hdf5_value *value,
                    bool *no_memory_out)
{
    *value = (struct dtx_hdf5_value){.type = -1, .space = -1};
    *no_memory_out = false;
    value->type = dtx_hdf5_transient_type(H5Aget_type(attribute));
    if (value->type < 0) {
        return -1;
    }
    value->space = H5Aget_space(attribute);
    if (value->space < 0) {
        return -1;
    }
    if (H5Sget_simple_extent_type(value->space) == H5S_NULL) {
        return 0;
    }
    return read_data(attribute, value, no_memory_out);
}

void
dtx_hdf5_value_finish(struct dtx_hdf5_value *value)
{
    if (value->data != NULL) {
        if (!dtx_hdf5_is_fixed(value->type)) {
            H5Dvlen_reclaim(value->type, value->space, H5P_DEFAULT,
                            value->data);
        }
        dtx_free(value->data);
    }
    if (value->space >= 0) {
        H5Sclose(value->space);
    }
    if (value->type >= 0) {
        H5Tclose(value->type);
    }
    *value = (struct dtx_hdf5_value){.type = -1, .space = -1};
}
