/*
 * What types are, in words.
 */
#include "storage/hdf5/hdf5_types.h"

/* Bytes of a description, about. */
enum { DESCRIPTION_MOST = 200 };

static const char *
class_name(hid_t type)
{
    switch ((int)H5Tget_class(type)) {
    case H5T_INTEGER:
        return "integer";
    case H5T_FLOAT:
        return "float";
    case H5T_TIME:
        return "time";
    case H5T_STRING:
        return "string";
    case H5T_BITFIELD:
        return "bit field";
    case H5T_OPAQUE:
        return "opaque";
    case H5T_COMPOUND:
        return "compound";
    case H5T_REFERENCE:
        return "reference";
    case H5T_ENUM:
        return "enumeration";
    case H5T_VLEN:
        return "sequence";
    case H5T_ARRAY:
        return "array";
    default:
        return "type";
    }
}

static void describe(hid_t type, int depth, struct dtx_text *text);

static void
describe_and_close(hid_t type, int depth, struct dtx_text *text)
{
    if (type >= 0) {
        describe(type, depth, text);
        H5Tclose(type);
    }
}

static void
describe_whole(hid_t type, struct dtx_text *text)
{
    dtx_text_format(text, "%s of %zu byte%s", class_name(type),
                    H5Tget_size(type), H5Tget_size(type) == 1 ? "" : "s");
}

/* True where a number is what its size says: an integer that uses all bits, or
 * a float that everybody knows. */
static bool
is_usual(hid_t type)
{
    return H5Tget_class(type) == H5T_INTEGER
               ? H5Tget_precision(type) == H5Tget_size(type) * 8
               : H5Tequal(type, H5T_IEEE_F32LE) > 0 ||
                     H5Tequal(type, H5T_IEEE_F32BE) > 0 ||
                     H5Tequal(type, H5T_IEEE_F64LE) > 0 ||
                     H5Tequal(type, H5T_IEEE_F64BE) > 0;
}

/* "int32", "uint8", "float64"; of another byte order "int32 (big-endian)". */
static void
describe_number(hid_t type, struct dtx_text *text)
{
    bool is_float = H5Tget_class(type) == H5T_FLOAT;

    if (!is_usual(type)) {
        describe_whole(type, text);
        return;
    }
    dtx_text_format(text, "%s%zu",
                    is_float                            ? "float"
                    : H5Tget_sign(type) == H5T_SGN_NONE ? "uint"
                                                        : "int",
                    H5Tget_size(type) * 8);
    if (H5Tget_size(type) > 1 && H5Tget_order(type) == H5T_ORDER_BE) {
        dtx_text_add(text, " (big-endian)");
    }
}

/* Adds " {a: int32, b: float64}", or as many as there is room for. */
static void
describe_members(hid_t type, int depth, struct dtx_text *text)
{
    int count = H5Tget_nmembers(type);
    bool is_compound = H5Tget_class(type) == H5T_COMPOUND;
    int i;

    dtx_text_add(text, " {");
    for (i = 0; i < count && text->length < DESCRIPTION_MOST; i++) {
        char *name = H5Tget_member_name(type, (unsigned)i);

        dtx_text_format(text, "%s%s", i > 0 ? ", " : "",
                        name == NULL ? "?" : name);
        H5free_memory(name);
        if (is_compound) {
            dtx_text_add(text, ": ");
            describe_and_close(H5Tget_member_type(type, (unsigned)i), depth + 1,
                               text);
        }
    }
    dtx_text_add(text, i < count ? ", …}" : "}");
}

static void
describe_array(hid_t type, int depth, struct dtx_text *text)
{
    hsize_t extents[H5S_MAX_RANK];
    int ndim = H5Tget_array_dims2(type, extents), i;

    describe_and_close(H5Tget_super(type), depth + 1, text);
    for (i = 0; i < ndim; i++) {
        dtx_text_format(text, "%s%llu", i == 0 ? "[" : ", ",
                        (unsigned long long)extents[i]);
    }
    dtx_text_add(text, ndim > 0 ? "]" : "");
}

static void
describe(hid_t type, int depth, struct dtx_text *text)
{
    if (depth > DTX_HDF5_NESTING_MAX || text->length > DESCRIPTION_MOST) {
        dtx_text_add(text, "…");
        return;
    }
    switch ((int)H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
        describe_number(type, text);
        break;
    case H5T_REFERENCE:
        dtx_text_add(text, "reference");
        break;
    case H5T_VLEN:
        dtx_text_add(text, "sequence of ");
        describe_and_close(H5Tget_super(type), depth + 1, text);
        break;
    case H5T_ARRAY:
        describe_array(type, depth, text);
        break;
    case H5T_COMPOUND:
    case H5T_ENUM:
        describe_whole(type, text);
        describe_members(type, depth, text);
        break;
    default:
        if (H5Tis_variable_str(type) > 0) {
            dtx_text_add(text, "string of variable length");
        } else {
            describe_whole(type, text);
        }
    }
}

void
dtx_hdf5_describe_type(hid_t type, struct dtx_text *text)
{
    describe(type, 0, text);
}
