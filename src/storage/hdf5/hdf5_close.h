/*
 * Closing written files, whatever the disk says.
 *
 * The space that a file needs is reserved before HDF5 flushes it, so that a
 * full disk is told with the bytes that it lacks.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_CLOSE_H
#define DTX_STORAGE_HDF5_HDF5_CLOSE_H

#include <hdf5.h>

#include <dtx/status.h>

/*
 * Makes a written file, or a dataset of it, ready to be closed: reserves the
 * space of the whole file, and writes the dataset's chunks. Where that fails
 * the file is abandoned (see hdf5_driver.h).
 *
 * path  of the file, for the message
 *
 * Fails with DTX_ERR_TARGET, also where something written before did.
 */
enum dtx_status dtx_hdf5_before_close(hid_t object, const char *path,
                                      struct dtx_error *err);

/*
 * Closes a written file, all of its space reserved; abandons it first where
 * the status so far is a failure, which is returned then. DTX_ERR_TARGET where
 * anything of it could not be written.
 *
 * path  of the file, for the message
 */
enum dtx_status dtx_hdf5_finish(hid_t file, const char *path,
                                enum dtx_status status, struct dtx_error *err);

#endif
