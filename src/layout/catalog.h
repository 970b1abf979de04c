/*
 * Catalogs: which datasets a source holds, of which type and shape, and where
 * they stand. Metadata only.
 *
 * A catalog is immutable once made, equal on all processes, and flat enough to
 * be broadcast. It comes from scanning files (storage) or from a tensor table
 * (spec), which has no files and gives whole tensors.
 */
#ifndef DTX_LAYOUT_CATALOG_H
#define DTX_LAYOUT_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/catalog.h>
#include <dtx/dtype.h>

#include "layout/layout.h"
#include "util/arena.h"
#include "util/names.h"

enum dtx_dataset_form {
    DTX_FORM_CONTIGUOUS, /* raw bytes at `offset` */
    DTX_FORM_STORED,     /* through HDF5: chunked, virtual, never written */
    DTX_FORM_EMPTY,      /* no element */
    DTX_FORM_OBJECT,     /* no tensor (variable length, references) */
};

/* One attribute, by value digest only: enough to tell ranks apart. */
struct dtx_attribute {
    const char *name;
    uint64_t digest; /* of type, space and value */
};

struct dtx_dataset {
    int file;         /* index into files */
    const char *path; /* in the file, without a leading slash */
    struct dtx_type type;
    bool is_big_endian;
    enum dtx_dataset_form form;
    int ndim;
    const int64_t *shape; /* [ndim], in elements */
    uint64_t offset;      /* bytes in the file, for DTX_FORM_CONTIGUOUS */
    int attribute_count;
    const struct dtx_attribute *attributes;
};

/* A group (or the root, path "") that has attributes, or holds nothing; or a
 * named type. */
struct dtx_group {
    int file;
    const char *path;
    bool is_type;
    int attribute_count;
    const struct dtx_attribute *attributes;
};

/* An element type that dtx doesn't know, as HDF5 encodes it. */
struct dtx_raw_type {
    size_t byte_count;
    const unsigned char *bytes; /* H5Tencode */
    size_t size_bytes;          /* of one element */
    const char *description;    /* for people: "compound of 12 bytes {…}" */
};

/* One tensor of a table: no files, whole shape. */
struct dtx_table_entry {
    const char *name; /* global */
    struct dtx_type type;
    int ndim;
    const int64_t *shape;
};

/* The size of a file that isn't there: its ranks may hold nothing. */
#define DTX_FILE_MISSING UINT64_MAX

struct dtx_catalog {
    struct dtx_arena arena;
    int file_count;
    int watched_count;          /* file_count, then other files that have
                                   data of datasets in these */
    const char **files;         /* [watched_count] paths, folder included */
    const uint64_t *file_sizes; /* [watched_count] bytes, or DTX_FILE_MISSING */
    const int64_t *file_times;  /* [watched_count] of the last change, in ns */
    const int *position_file;   /* [positions] index into files; NULL: table */
    int dataset_count;
    struct dtx_dataset *datasets; /* sorted by (file, path) */
    int group_count;
    struct dtx_group *groups; /* sorted by (file, path) */
    int raw_type_count;
    struct dtx_raw_type *raw_types;
    int entry_count; /* of a table; 0 where there are files */
    struct dtx_table_entry *entries;
};

/* The index of a dataset by file and path (binary search), or -1. */
int dtx_catalog_find(const struct dtx_catalog *catalog, int file,
                     const char *path);

#endif
