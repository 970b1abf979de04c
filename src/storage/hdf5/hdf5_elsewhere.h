/*
 * Datasets whose data stands in other files.
 *
 * HDF5 reads what is missing there as fill values, silently. Here that is an
 * error: a source that isn't whole must not look as if it were.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_ELSEWHERE_H
#define DTX_STORAGE_HDF5_HDF5_ELSEWHERE_H

#include <hdf5.h>

#include "storage/hdf5/hdf5_types.h"
#include "util/names.h"

/* Looks whether all sources of a virtual dataset are there, with the datasets
 * and the extents that it maps. Adds their paths to files, where that isn't
 * NULL. Fails with DTX_ERR_SOURCE. */
enum dtx_status dtx_hdf5_check_virtual(hid_t dataset,
                                       struct dtx_hdf5_place place,
                                       struct dtx_names *files,
                                       struct dtx_error *err);

/* Looks whether the raw files of a dataset with external storage hold as much
 * as it maps. Adds their paths to files. Fails with DTX_ERR_SOURCE. */
enum dtx_status dtx_hdf5_check_external(hid_t properties, uint64_t bytes,
                                        struct dtx_hdf5_place place,
                                        struct dtx_names *files,
                                        struct dtx_error *err);

/* The name of the file that an object is in, for the caller to free; NULL
 * where there is none. */
char *dtx_hdf5_file_name(hid_t object);

#endif
