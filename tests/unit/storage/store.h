/*
 * A folder of its own, an HDF5 storage, and the catalog of one of its files.
 */
#ifndef DTX_TESTS_STORAGE_STORE_H
#define DTX_TESTS_STORAGE_STORE_H

#include "layout/layout.h"
#include "layout/listing.h"
#include "storage/hdf5/hdf5_storage.h"

struct store {
    char folder[64];
    struct dtx_arena arena;
    struct dtx_storage *storage;
    struct dtx_layout layout;
    struct dtx_catalog *catalog;
    struct dtx_error err;
};

/* False where the folder or the storage can't be made. */
bool store_begin(struct store *s);
/* Removes the folder with all that is in it. */
void store_finish(struct store *s);

/* The path of a file in the folder; lives as long as the store. */
const char *store_path(struct store *s, const char *name);

/* Scans a file (a path) and makes its catalog the storage's. */
enum dtx_status store_scan(struct store *s, const char *path);

/* A dataset of the catalog, or NULL. */
const struct dtx_dataset *store_find(struct store *s, const char *path);

/* Reads a box, or (lo NULL) the whole dataset. */
enum dtx_status store_read(struct store *s, const char *path, const int64_t *lo,
                           const int64_t *len, void *buffer);

/* A target file with room for datasets, in the arena; name.tmp is its
 * temporary name. */
struct dtx_target_file *store_target(struct store *s, const char *name,
                                     int dataset_count);
void store_set(struct dtx_target_file *file, int index, const char *path,
               struct dtx_type type, int ndim, const int64_t *shape);

/* Copies all that the catalog's file holds into a target, row by row. */
enum dtx_status store_copy(struct store *s, struct dtx_target_file *file);
/* The target that is such a copy. */
struct dtx_target_file *store_copy_target(struct store *s, const char *name);

#endif
