/*
 * The value of an attribute, in memory, whatever its type; and digests of
 * values, which tell them apart.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_VALUE_H
#define DTX_STORAGE_HDF5_HDF5_VALUE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include <dtx/status.h>

struct dtx_hdf5_value {
    hid_t type;  /* a transient copy of the attribute's type */
    hid_t space; /* simple, scalar or null */
    size_t count;
    void *data; /* NULL where the space is null */
};

/* Reads a value; negative on failure. Either way it is to be finished. After
 * a failure HDF5's reason stands, or *no_memory_out is set. */
herr_t dtx_hdf5_value_read(hid_t attribute, struct dtx_hdf5_value *value,
                           bool *no_memory_out);

/* A digest of type, space and value. */
uint64_t dtx_hdf5_value_digest(const struct dtx_hdf5_value *value);

void dtx_hdf5_value_finish(struct dtx_hdf5_value *value);

/* The same digest in parts: of type and space, then of the elements in
 * row-major order. */
uint64_t dtx_hdf5_digest_begin(hid_t type, hid_t space);
void dtx_hdf5_digest_elements(uint64_t *digest, hid_t type,
                              const void *elements, size_t count);

/* A transient copy of a type, which is closed. Negative on failure. */
hid_t dtx_hdf5_transient_type(hid_t named);

#endif
