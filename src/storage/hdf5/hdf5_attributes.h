/*
 * Attributes: told apart by digests while scanning, copied when a target is
 * made.
 *
 * An attribute that holds references is left out of both: what it refers to
 * is elsewhere in the target. So is a dataset's mark (hdf5_types.h), which is
 * part of its type.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_ATTRIBUTES_H
#define DTX_STORAGE_HDF5_HDF5_ATTRIBUTES_H

#include <hdf5.h>

#include "layout/catalog.h"
#include "storage/hdf5/hdf5_types.h"
#include "util/arena.h"

/*
 * Lists an object's attributes by name, with digests of type, space and value.
 *
 * dtype           of the dataset, whose mark is left out; DTX_RAW for groups
 * attributes_out  [count_out] in the arena
 */
enum dtx_status dtx_hdf5_list_attributes(
    hid_t object, enum dtx_dtype dtype, struct dtx_hdf5_place place,
    struct dtx_arena *arena, int *count_out,
    const struct dtx_attribute **attributes_out, struct dtx_error *err);

/*
 * Copies the attributes of an object to a new one. Those that the new one has
 * already stay.
 *
 * dtype   of the source dataset, as above
 * source  the place of `from`; target, of `to`
 *
 * Fails with DTX_ERR_SOURCE or DTX_ERR_TARGET.
 */
enum dtx_status dtx_hdf5_copy_attributes(hid_t from, enum dtx_dtype dtype,
                                         struct dtx_hdf5_place source, hid_t to,
                                         struct dtx_hdf5_place target,
                                         struct dtx_error *err);

#endif
