/*
 * The driver through which HDF5 writes a target's files.
 *
 * HDF5 1.10 can't close a file for which the system fails it: it tries again
 * when the program ends, and crashes there. So this driver fails it never.
 * From the first failure on, what HDF5 writes goes to a copy of the file in
 * memory, which is worth nothing; whoever closes the file asks for the
 * failure. Interrupted and short transfers go on.
 */
#ifndef DTX_STORAGE_HDF5_DRIVER_H
#define DTX_STORAGE_HDF5_DRIVER_H

#include <hdf5.h>

#include <dtx/status.h>

/* Has files that are opened or created so use the driver. Negative on
 * failure. */
herr_t dtx_hdf5_use_driver(hid_t access);

/* Sets the error for a file that couldn't be opened or created just now:
 * "cannot VERB 'PATH': REASON". */
enum dtx_status dtx_hdf5_open_failed(const char *verb, const char *path,
                                     struct dtx_error *err);

/* Lets all that HDF5 will write to an object's file go to memory. */
void dtx_hdf5_abandon(hid_t object);

/* The errno value of the first failure of an object's file by now, or 0. */
int dtx_hdf5_failure(hid_t object);

/* Closes a file; returns the errno value of its first failure, 0, or -1 where
 * HDF5 itself fails. */
int dtx_hdf5_close_file(hid_t file);

#endif
