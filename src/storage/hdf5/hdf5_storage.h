/*
 * Storage in HDF5 files; contiguous datasets by positioned I/O.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_STORAGE_H
#define DTX_STORAGE_HDF5_HDF5_STORAGE_H

#include "storage/storage.h"

/* Owned by the caller, destroyed through its ops. Local. */
enum dtx_status dtx_hdf5_storage_create(struct dtx_storage **storage_out,
                                        struct dtx_error *err);

#endif
