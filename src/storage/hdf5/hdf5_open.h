/*
 * How files are opened, by a driver of ours.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_OPEN_H
#define DTX_STORAGE_HDF5_HDF5_OPEN_H

#include <hdf5.h>
#include <stdint.h>

#include <dtx/status.h>

/*
 * Opens a source file read-only, having looked whether it is one at all.
 *
 * file_out   to be closed by the caller with H5Fclose()
 * bytes_out  size of the file; may be NULL
 *
 * Fails with DTX_ERR_SOURCE.
 */
enum dtx_status dtx_hdf5_open_source(const char *path, hid_t *file_out,
                                     uint64_t *bytes_out,
                                     struct dtx_error *err);

/* Opens a target file that stands, for writing. Fails with DTX_ERR_TARGET. */
enum dtx_status dtx_hdf5_open_target(const char *path, hid_t *file_out,
                                     struct dtx_error *err);

/* How all files are opened; -1 on failure. To be closed by the caller. */
hid_t dtx_hdf5_access(void);

/* The same of a file that is in memory only. Its format has large attributes,
 * and no mark of files that weren't closed. */
hid_t dtx_hdf5_memory_access(void);

/* What such a file is called: as none on a disk, which HDF5 would take. */
extern const char dtx_hdf5_memory_name[];

#endif
