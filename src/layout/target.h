/*
 * Target files: what is to be created, before a byte is moved.
 *
 * A description of one file, made by the plan and carried out by storage.
 * Datasets keep their order: their index names them when they are written.
 */
#ifndef DTX_LAYOUT_TARGET_H
#define DTX_LAYOUT_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/catalog.h"

/* What a file's name ends with until all files are complete. */
#define DTX_TEMPORARY_ENDING ".dtx-part"
#define DTX_PACKED_ENDING ".pack" /* behind that, for a while */

struct dtx_target_dataset {
    const char *path; /* in the file, without a leading slash */
    struct dtx_type type;
    int ndim;
    const int64_t *shape;
    int source_dataset; /* in the catalog, for its attributes; -1: none */
    uint64_t offset;    /* bytes in the file, set by create; 0 where through
                           HDF5 or empty */
};

/* An object that is no tensor, copied whole. */
struct dtx_target_object {
    const char *path;
    int source_dataset; /* in the catalog */
};

/* The attributes of a group of the source, put on a group of the target; or a
 * named type, copied. */
struct dtx_target_group {
    const char *path; /* "" is the root */
    int source_group; /* in the catalog */
};

/* A box of a tensor, and where a file that shows whole tensors finds it. */
struct dtx_target_part {
    const char *file;     /* relative to the folder of the file that shows it */
    const char *path;     /* of the dataset there */
    const int64_t *shape; /* [ndim] of that dataset */
    const int64_t *local; /* [ndim] where the box begins in it */
    const int64_t *lo;    /* [ndim] where it begins in the tensor */
    const int64_t *len;   /* [ndim] no extent is 0 */
};

/* Returns 0 to go on. */
typedef int dtx_target_part_visit(const struct dtx_target_part *part,
                                  void *context);

/* Where the data of a file are that has none of its own. */
struct dtx_target_view {
    /* Visits the parts of a dataset, which don't overlap and cover it. Returns
     * what a visit returned that wasn't 0; -1 when out of memory. */
    int (*each_part)(const struct dtx_target_view *view, int dataset,
                     dtx_target_part_visit *visit, void *context);
};

struct dtx_target_file {
    const char *path;      /* where it will stand, folder included */
    const char *temporary; /* where it is written until all are complete */
    bool create;           /* this process creates it; others only write */
    int creator;           /* the process that does */
    bool is_shared;        /* several processes write it */
    int process_count;     /* that write it */
    const int *processes;  /* ascending, but the creator first */
    int dataset_count;
    struct dtx_target_dataset *datasets;
    int object_count;
    struct dtx_target_object *objects;
    int group_count;
    struct dtx_target_group *groups;
    int chunk_count; /* of the layout; 0: contiguous */
    const int64_t *chunks;
    bool gzip;
    const struct dtx_target_view *view; /* NULL: the data are in the file */
};

#endif
