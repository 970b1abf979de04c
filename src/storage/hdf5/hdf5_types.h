/*
 * HDF5's types and dtx's.
 *
 * A type that dtx knows becomes a dtype and a byte order. bfloat16 and the
 * float8s have no agreed form: they come as HDF5 floats with their fields, or
 * as unsigned integers or opaque with an attribute "dtype" that names them
 * (the mark). All else of fixed size is raw and moves as it is.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_TYPES_H
#define DTX_STORAGE_HDF5_HDF5_TYPES_H

#include <hdf5.h>
#include <stdbool.h>

#include <dtx/dtype.h>
#include <dtx/status.h>

#include "layout/catalog.h"
#include "util/text.h"

/* How deep types are looked into; HDF5's own files stay far below. */
enum { DTX_HDF5_NESTING_MAX = 64 };

/* Where a type stands, for messages. */
struct dtx_hdf5_place {
    const char *file;
    const char *dataset;
};

struct dtx_hdf5_type {
    struct dtx_type type; /* raw_index isn't set */
    bool is_big_endian;
    bool is_fixed; /* false: variable length or references, so no tensor */
};

/*
 * Says what an HDF5 type is.
 *
 * mark  the dtype that the dataset's attribute "dtype" names; DTX_RAW: none
 *
 * Fails with DTX_ERR_SOURCE for a float that has bfloat16's or a float8's
 * fields but another exponent bias: its values would be misread.
 */
enum dtx_status dtx_hdf5_classify(hid_t type, enum dtx_dtype mark,
                                  struct dtx_hdf5_place place,
                                  struct dtx_hdf5_type *type_out,
                                  struct dtx_error *err);

/* The dtype that an object's attribute "dtype" names, where it is one of
 * bfloat16 and the float8s; else DTX_RAW. */
enum dtx_dtype dtx_hdf5_read_mark(hid_t object);

/* True for the dtypes that a mark can name. */
bool dtx_hdf5_can_mark(enum dtx_dtype dtype);

/* Names the dtype in an attribute "dtype" of a new dataset. Negative on
 * failure. */
herr_t dtx_hdf5_write_mark(hid_t dataset, enum dtx_dtype dtype);

/* Fills raw from a type: bytes and description are allocated and to be freed
 * with dtx_hdf5_raw_finish(). */
enum dtx_status dtx_hdf5_raw_init(struct dtx_raw_type *raw, hid_t type,
                                  struct dtx_hdf5_place place,
                                  struct dtx_error *err);
void dtx_hdf5_raw_finish(struct dtx_raw_type *raw);

/* A type that is equal to another, and encoded alike whatever wrote its file.
 * Negative on failure; to be closed by the caller. */
hid_t dtx_hdf5_make_anew(hid_t type);

/* Adds what a type is, for people: "compound of 12 bytes {a: int32, …}". text
 * is empty. */
void dtx_hdf5_describe_type(hid_t type, struct dtx_text *text);

/* True where no part of the type is of variable length or a reference. */
bool dtx_hdf5_is_fixed(hid_t type);
/* True where some part of it is a reference. */
bool dtx_hdf5_has_reference(hid_t type);

/* The type in which a target stores its elements; raw is used for DTX_RAW
 * only. Negative on failure. To be closed by the caller. */
hid_t dtx_hdf5_make_type(struct dtx_type type, const struct dtx_raw_type *raw);

#endif
