/*
 * Datasets that are no tensors, known by a digest of what is in them.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_OBJECT_H
#define DTX_STORAGE_HDF5_HDF5_OBJECT_H

#include <stdint.h>

#include <dtx/status.h>

#include "storage/hdf5/hdf5_handles.h"

/*
 * A digest of a source's dataset: of its type, extents and values. Under the
 * lock of the library.
 *
 * file  its path, which is also its key
 *
 * Fails with DTX_ERR_SOURCE.
 */
enum dtx_status dtx_hdf5_object_digest(struct dtx_hdf5_handles *sources,
                                       const char *file, const char *dataset,
                                       uint64_t *digest_out,
                                       struct dtx_error *err);

#endif
