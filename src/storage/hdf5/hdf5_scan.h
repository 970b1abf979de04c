/*
 * Scanning: what one source file holds, as a listing.
 *
 * Groups are walked, not recursed into, so that no file can exhaust the
 * stack. A link is taken for what it leads to, hard, soft or external, since
 * that is what a reader of the file sees; a link that leads nowhere is an
 * error, since a tensor is missing. A group that contains itself is listed
 * once.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_SCAN_H
#define DTX_STORAGE_HDF5_HDF5_SCAN_H

#include <hdf5.h>
#include <stdbool.h>

#include "storage/hdf5/hdf5_types.h"
#include "util/arena.h"
#include "util/names.h"
#include "util/text.h"

/* What a scan of a file gathers. */
struct dtx_hdf5_found {
    struct dtx_arena arena; /* of names */
    struct dtx_text *listing;
    struct dtx_names elsewhere; /* other files that have data of its datasets */
};

/* Adds a file's listing. Takes the lock itself. Fails with DTX_ERR_SOURCE. */
enum dtx_status dtx_hdf5_scan(const char *path, struct dtx_text *listing,
                              struct dtx_error *err);

/*
 * Adds a dataset's entry.
 *
 * file_bytes  size of the file, which a contiguous dataset must not leave
 * is_foreign  an external link leads to it: its file is another
 */
enum dtx_status dtx_hdf5_scan_dataset(hid_t dataset,
                                      struct dtx_hdf5_place place,
                                      uint64_t file_bytes, bool is_foreign,
                                      struct dtx_hdf5_found *found,
                                      struct dtx_error *err);

#endif
