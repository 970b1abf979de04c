/*
 * The HDF5 library, as storage uses it.
 *
 * It isn't safe on several threads, so every call to it stands between
 * dtx_hdf5_lock() and dtx_hdf5_unlock(), which are one lock for the whole
 * program. Functions of the hdf5_*.h headers expect it to be held, unless
 * they say otherwise. HDF5 itself prints nothing: what it says about a
 * failure becomes part of our message.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_LIBRARY_H
#define DTX_STORAGE_HDF5_HDF5_LIBRARY_H

#include <hdf5.h>

#include <dtx/status.h>

void dtx_hdf5_lock(void);
void dtx_hdf5_unlock(void);

/* Starts the library and stops it from printing. Takes the lock itself. */
enum dtx_status dtx_hdf5_start(struct dtx_error *err);

/*
 * Sets "MESSAGE: REASON", where the reason is the innermost that HDF5 gave
 * for the last call, which must have failed. Returns status.
 */
enum dtx_status dtx_hdf5_fail(struct dtx_error *err, enum dtx_status status,
                              const char *format, ...) DTX_PRINTF(3, 4);

#endif
