/*
 * Closing written files, whatever the disk says.
 *
 * A flush that fails leaves HDF5 1.10 with a file that it can't close; it
 * tries again when the program ends, and crashes there. So the space that a
 * file needs is reserved before HDF5 flushes it, and where there is none, what
 * HDF5 still has to write goes nowhere.
 */
#ifndef DTX_STORAGE_HDF5_ABANDON_H
#define DTX_STORAGE_HDF5_ABANDON_H

#include <hdf5.h>

#include <dtx/status.h>

/*
 * Makes a written file, or a dataset of it, ready to be closed: reserves the
 * space of the whole file, and writes the dataset's chunks. Where that fails
 * the file is abandoned.
 *
 * path  of the file, for the message
 *
 * Fails with DTX_ERR_TARGET.
 */
enum dtx_status dtx_hdf5_before_close(hid_t object, const char *path,
                                      struct dtx_error *err);

/* Lets all that HDF5 will write to an object's file go nowhere. The file can
 * be closed then, and is worth nothing. */
void dtx_hdf5_abandon(hid_t object);

#endif
