/*
 * The drivers through which HDF5 has files.
 *
 * That for sources opens regular files only, and waits for none: links and
 * virtual datasets lead wherever who wrote them wants, also to a pipe, at
 * which HDF5's own driver would wait for ever. Files that they lead to are
 * opened by the driver of the file that they are in.
 *
 * The other writes a target's files.
 *
 * HDF5 1.10 can't close a file for which the system fails it: it tries again
 * when the program ends, and crashes there. So this driver fails it never.
 * From the first failure on, what HDF5 writes goes to a copy of the file in
 * memory, which is worth nothing; whoever closes the file asks for the
 * failure. Interrupted and short transfers go on.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_DRIVER_H
#define DTX_STORAGE_HDF5_HDF5_DRIVER_H

#include <hdf5.h>

#include <dtx/status.h>

/* Has files that are opened so use the driver for sources. Negative on
 * failure. */
herr_t dtx_hdf5_use_source_driver(hid_t access);

/* Has files that are opened or created so use the driver for targets. Negative
 * on failure. */
herr_t dtx_hdf5_use_driver(hid_t access);

/* Sets the error for a file that couldn't be opened or created just now:
 * "cannot VERB 'PATH': REASON". */
enum dtx_status dtx_hdf5_open_failed(enum dtx_status status, const char *verb,
                                     const char *path, struct dtx_error *err);

/* Lets all that HDF5 will write to an object's file go to memory. */
void dtx_hdf5_abandon(hid_t object);

/* The errno value of the first failure of an object's file by now, or 0. */
int dtx_hdf5_failure(hid_t object);

/* Closes a file; returns the errno value of its first failure, 0, or -1 where
 * HDF5 itself fails. */
int dtx_hdf5_close_file(hid_t file);

#endif
