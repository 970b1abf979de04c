/*
 * Listings: what one source file holds, as bytes that can be sent.
 *
 * Storage writes a listing for each file that it scans; a catalog is built
 * from the listings of all files, in the order of the files. The form is
 * dtx's own and lives only while a program runs.
 */
#ifndef DTX_LAYOUT_LISTING_H
#define DTX_LAYOUT_LISTING_H

#include "layout/catalog.h"
#include "util/text.h"

/* Adds the head of a file's listing: its size, and when it was last changed. */
void dtx_listing_begin(struct dtx_text *listing, uint64_t file_bytes,
                       int64_t changed_ns);

/*
 * Adds a dataset. d->file and d->type.raw_index are not used; raw is the
 * type's encoding where d->type.dtype is DTX_RAW, else NULL.
 */
void dtx_listing_dataset(struct dtx_text *listing, const struct dtx_dataset *d,
                         const struct dtx_raw_type *raw);
void dtx_listing_group(struct dtx_text *listing, const struct dtx_group *g);

/* Adds another file in which some of the file's datasets have their data. */
void dtx_listing_elsewhere(struct dtx_text *listing, const char *path,
                           uint64_t file_bytes, int64_t changed_ns);

/*
 * Builds a catalog from the listings of all files.
 *
 * layout    whose file names are rendered; positions with the same path share
 *           a file
 * listings  [file_count] in the order of dtx_catalog_paths(), with lengths
 *
 * The catalog is owned by the caller.
 */
enum dtx_status dtx_catalog_build(const struct dtx_layout *layout,
                                  int file_count, const char *const *listings,
                                  const size_t *lengths,
                                  struct dtx_catalog **catalog_out,
                                  struct dtx_error *err);

/*
 * The distinct files of a layout in the order of their lowest position.
 *
 * position_file_out  [positions] index of each position's file
 * paths_out          the paths in the arena
 *
 * Returns how many, or -1 when out of memory.
 */
int dtx_catalog_paths(const struct dtx_layout *layout, struct dtx_arena *arena,
                      int **position_file_out, const char ***paths_out);

#endif
