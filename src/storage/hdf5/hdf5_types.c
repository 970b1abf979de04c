#include "storage/hdf5/hdf5_types.h"

#include <string.h>

#include "util/error.h"

/* The fields of a floating-point type, as H5Tget_fields() has them. */
struct fields {
    enum dtx_dtype dtype;
    size_t bytes;
    size_t sign;
    size_t exponent;
    size_t exponent_bits;
    size_t mantissa;
    size_t mantissa_bits;
    size_t bias;
};

static const struct fields floats[] = {
    {DTX_FLOAT64, 8, 63, 52, 11, 0, 52, 1023},
    {DTX_FLOAT32, 4, 31, 23, 8, 0, 23, 127},
    {DTX_FLOAT16, 2, 15, 10, 5, 0, 10, 15},
    {DTX_BFLOAT16, 2, 15, 7, 8, 0, 7, 127},
    {DTX_FLOAT8_E4M3FN, 1, 7, 3, 4, 0, 3, 7},
    {DTX_FLOAT8_E5M2, 1, 7, 2, 5, 0, 2, 15},
};
enum { FLOAT_COUNT = sizeof floats / sizeof floats[0] };

bool
dtx_hdf5_can_mark(enum dtx_dtype dtype)
{
    return dtype == DTX_BFLOAT16 || dtype == DTX_FLOAT8_E4M3FN ||
           dtype == DTX_FLOAT8_E5M2;
}

static void
set_known(struct dtx_hdf5_type *out, enum dtx_dtype dtype, H5T_order_t order)
{
    out->type = dtx_type_of(dtype);
    out->is_big_endian = order == H5T_ORDER_BE && out->type.size_bytes > 1;
}

/* True where all bits of the type count and their order is a usual one. */
static bool
is_plain(hid_t type)
{
    H5T_order_t order = H5Tget_order(type);

    return H5Tget_precision(type) == H5Tget_size(type) * 8 &&
           H5Tget_offset(type) == 0 &&
           (order == H5T_ORDER_LE || order == H5T_ORDER_BE ||
            H5Tget_size(type) == 1);
}

static bool
fields_equal(const struct fields *a, const struct fields *b)
{
    return a->bytes == b->bytes && a->sign == b->sign &&
           a->exponent == b->exponent && a->exponent_bits == b->exponent_bits &&
           a->mantissa == b->mantissa && a->mantissa_bits == b->mantissa_bits;
}

static bool
get_fields(hid_t type, struct fields *out)
{
    out->bytes = H5Tget_size(type);
    out->bias = H5Tget_ebias(type);
    return H5Tget_fields(type, &out->sign, &out->exponent, &out->exponent_bits,
                         &out->mantissa, &out->mantissa_bits) >= 0 &&
           H5Tget_norm(type) == H5T_NORM_IMPLIED;
}

static enum dtx_status
classify_float(hid_t type, struct dtx_hdf5_place place,
               struct dtx_hdf5_type *out, struct dtx_error *err)
{
    struct fields found = {.dtype = DTX_RAW};
    int i;

    if (!is_plain(type) || !get_fields(type, &found)) {
        return DTX_OK;
    }
    for (i = 0; i < FLOAT_COUNT; i++) {
        if (!fields_equal(&found, &floats[i])) {
            continue;
        }
        if (found.bias == floats[i].bias) {
            set_known(out, floats[i].dtype, H5Tget_order(type));
        } else if (dtx_hdf5_can_mark(floats[i].dtype)) {
            return dtx_error_set(
                err, DTX_ERR_SOURCE,
                "dataset '%s' of '%s' has a float type with the fields of "
                "%s but an exponent bias of %zu, where %s has %zu",
                place.dataset, place.file, dtx_dtype_name(floats[i].dtype),
                found.bias, dtx_dtype_name(floats[i].dtype), floats[i].bias);
        }
    }
    return DTX_OK;
}

static void
classify_integer(hid_t type, enum dtx_dtype mark, struct dtx_hdf5_type *out)
{
    static const enum dtx_dtype kinds[2][9] = {
        {[1] = DTX_UINT8, [2] = DTX_UINT16, [4] = DTX_UINT32, [8] = DTX_UINT64},
        {[1] = DTX_INT8, [2] = DTX_INT16, [4] = DTX_INT32, [8] = DTX_INT64},
    };
    bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    size_t bytes = H5Tget_size(type);
    enum dtx_dtype dtype;

    if (bytes > 8 || !is_plain(type)) {
        return;
    }
    dtype = kinds[is_signed][bytes];
    if (!is_signed && mark != DTX_RAW && dtx_dtype_size(mark) == bytes) {
        dtype = mark;
    }
    if (dtype != DTX_RAW) {
        set_known(out, dtype, H5Tget_order(type));
    }
}

static bool
has_member(hid_t type, unsigned index, const char *want)
{
    char *name = H5Tget_member_name(type, index);
    bool is_it = name != NULL && strcmp(name, want) == 0;

    H5free_memory(name);
    return is_it;
}

/* h5py's bool: an enumeration FALSE = 0, TRUE = 1 of one byte. */
static bool
is_bool(hid_t type)
{
    signed char value = -1;

    return H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 &&
           has_member(type, 0, "FALSE") && has_member(type, 1, "TRUE") &&
           H5Tget_member_value(type, 0, &value) >= 0 && value == 0 &&
           H5Tget_member_value(type, 1, &value) >= 0 && value == 1;
}

/* The type of a member, classified; DTX_RAW where it is none we know. */
static struct dtx_hdf5_type
member_kind(hid_t type, unsigned index)
{
    struct dtx_hdf5_type kind = {0};
    struct dtx_hdf5_place nowhere = {"", ""};
    struct dtx_error ignored;
    hid_t member = H5Tget_member_type(type, index);

    if (member >= 0 && H5Tget_class(member) == H5T_FLOAT &&
        classify_float(member, nowhere, &kind, &ignored) != DTX_OK) {
        kind = (struct dtx_hdf5_type){0};
    }
    if (member >= 0) {
        H5Tclose(member);
    }
    return kind;
}

/* h5py's complex: a compound of floats r and i without gaps. */
static void
classify_compound(hid_t type, struct dtx_hdf5_type *out)
{
    struct dtx_hdf5_type part;
    struct dtx_hdf5_type other;
    enum dtx_dtype dtype;

    if (H5Tget_nmembers(type) != 2 || !has_member(type, 0, "r") ||
        !has_member(type, 1, "i")) {
        return;
    }
    part = member_kind(type, 0);
    other = member_kind(type, 1);
    if (part.type.dtype != DTX_FLOAT32 && part.type.dtype != DTX_FLOAT64) {
        return;
    }
    if (other.type.dtype != part.type.dtype ||
        other.is_big_endian != part.is_big_endian ||
        H5Tget_member_offset(type, 0) != 0 ||
        H5Tget_member_offset(type, 1) != part.type.size_bytes ||
        H5Tget_size(type) != 2 * part.type.size_bytes) {
        return;
    }
    dtype = part.type.dtype == DTX_FLOAT32 ? DTX_COMPLEX64 : DTX_COMPLEX128;
    set_known(out, dtype, part.is_big_endian ? H5T_ORDER_BE : H5T_ORDER_LE);
}

enum dtx_status
dtx_hdf5_classify(hid_t type, enum dtx_dtype mark, struct dtx_hdf5_place place,
                  struct dtx_hdf5_type *type_out, struct dtx_error *err)
{
    struct dtx_hdf5_type found = {.is_fixed = dtx_hdf5_is_fixed(type)};
    enum dtx_status status = DTX_OK;

    found.type.size_bytes = H5Tget_size(type);
    switch ((int)H5Tget_class(type)) {
    case H5T_FLOAT:
        status = classify_float(type, place, &found, err);
        break;
    case H5T_INTEGER:
        classify_integer(type, mark, &found);
        break;
    case H5T_ENUM:
        if (is_bool(type)) {
            set_known(&found, DTX_BOOL, H5T_ORDER_LE);
        }
        break;
    case H5T_COMPOUND:
        classify_compound(type, &found);
        break;
    case H5T_OPAQUE:
        if (mark != DTX_RAW && dtx_dtype_size(mark) == H5Tget_size(type)) {
            set_known(&found, mark, H5T_ORDER_LE);
        }
        break;
    default:
        break;
    }
    if (status == DTX_OK) {
        *type_out = found;
    }
    return status;
}

/* A float type from the table. */
static hid_t
make_float(enum dtx_dtype dtype)
{
    const struct fields *f = floats;
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);

    while (f->dtype != dtype) {
        f++;
    }
    if (type < 0) {
        return -1;
    }
    /* fields before size: each must fit the type as it is then */
    if (H5Tset_fields(type, f->sign, f->exponent, f->exponent_bits, f->mantissa,
                      f->mantissa_bits) < 0 ||
        H5Tset_size(type, f->bytes) < 0 || H5Tset_ebias(type, f->bias) < 0) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static hid_t
make_bool(void)
{
    static const signed char values[2] = {0, 1};
    hid_t type = H5Tenum_create(H5T_STD_I8LE);

    if (type >= 0 && (H5Tenum_insert(type, "FALSE", &values[0]) < 0 ||
                      H5Tenum_insert(type, "TRUE", &values[1]) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static hid_t
make_complex(hid_t part)
{
    size_t bytes = H5Tget_size(part);
    hid_t type = H5Tcreate(H5T_COMPOUND, 2 * bytes);

    if (type >= 0 && (H5Tinsert(type, "r", 0, part) < 0 ||
                      H5Tinsert(type, "i", bytes, part) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

hid_t
dtx_hdf5_make_type(struct dtx_type type, const struct dtx_raw_type *raw)
{
    switch (type.dtype) {
    case DTX_RAW:
        return H5Tdecode(raw->bytes);
    case DTX_FLOAT64:
        return H5Tcopy(H5T_IEEE_F64LE);
    case DTX_FLOAT32:
        return H5Tcopy(H5T_IEEE_F32LE);
    case DTX_FLOAT16:
    case DTX_BFLOAT16:
    case DTX_FLOAT8_E5M2:
        return make_float(type.dtype);
    case DTX_INT64:
        return H5Tcopy(H5T_STD_I64LE);
    case DTX_INT32:
        return H5Tcopy(H5T_STD_I32LE);
    case DTX_INT16:
        return H5Tcopy(H5T_STD_I16LE);
    case DTX_INT8:
        return H5Tcopy(H5T_STD_I8LE);
    case DTX_UINT64:
        return H5Tcopy(H5T_STD_U64LE);
    case DTX_UINT32:
        return H5Tcopy(H5T_STD_U32LE);
    case DTX_UINT16:
        return H5Tcopy(H5T_STD_U16LE);
    case DTX_FLOAT8_E4M3FN: /* HDF5 would misread it as a float */
    case DTX_UINT8:
        return H5Tcopy(H5T_STD_U8LE);
    case DTX_BOOL:
        return make_bool();
    case DTX_COMPLEX64:
        return make_complex(H5T_IEEE_F32LE);
    case DTX_COMPLEX128:
        return make_complex(H5T_IEEE_F64LE);
    case DTX_DTYPE_COUNT:
        break;
    }
    return -1;
}
