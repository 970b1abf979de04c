/*
 * The guard, as the HDF5 storage asks it; see <dtx/guard.h>.
 *
 * A request goes through a socket. What it answers comes back there, but for
 * data, which comes through shared memory (the window). Attributes and objects
 * come as a small HDF5 file in memory (the image).
 *
 * All calls are local and safe on several threads; one request is answered at
 * a time. What the guard reports is believed no more than a file: listings are
 * checked where they are read, and the image is one that HDF5 made.
 */
#ifndef DTX_STORAGE_GUARD_GUARD_H
#define DTX_STORAGE_GUARD_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/guard.h>

#include "storage/hdf5/hdf5_box.h"
#include "util/text.h"

/* True where there is one, even if it has died: then all requests fail. */
bool dtx_guard_is_on(void);

/* As the storage's scan(). */
enum dtx_status dtx_guard_scan(const char *path, struct dtx_text *listing,
                               struct dtx_error *err);

/* Reads a box of a dataset; index tells the datasets of the catalog apart. */
enum dtx_status dtx_guard_read(const char *file, int index, const char *dataset,
                               const struct dtx_hdf5_box *box, void *buffer,
                               struct dtx_error *err);

/* As dtx_hdf5_object_digest(). */
enum dtx_status dtx_guard_digest(const char *file, const char *dataset,
                                 uint64_t *digest_out, struct dtx_error *err);

/* Has the guard make an image of what a list says (hdf5_carry.h). */
enum dtx_status dtx_guard_carry(const struct dtx_text *list, const char *target,
                                struct dtx_text *image, struct dtx_error *err);

/* Has the guard close all files: another catalog counts from now on. */
void dtx_guard_forget(void);

#endif
