/*
 * Manifests: what a run wrote, as a layout file of the target.
 *
 * A manifest is the target's layout with a rule of its own for each tensor,
 * and a list of the files. The spec reads it back like any layout file; the
 * key `dtx` tells the two apart. It comes last of a target: what has one is
 * complete. Nothing here touches files.
 */
#ifndef DTX_MANIFEST_MANIFEST_H
#define DTX_MANIFEST_MANIFEST_H

#include <stdint.h>

#include "layout/layout.h"
#include "util/text.h"

struct dtx_manifest_tensor {
    const char *name;     /* as the target names it */
    int rule;             /* index of the target's rule */
    int ndim;             /* -1: an object that is no tensor, no shape */
    const int64_t *shape; /* [ndim] logical */
    enum dtx_dtype dtype; /* DTX_RAW: the manifest doesn't say */
    const char *digest;   /* 16 hexadecimal digits, or NULL: left out */
    const char *places;   /* the same, which tells the shard that is damaged */
};

struct dtx_manifest_file {
    const char *path; /* as dtx_layout_file() gives it */
    uint64_t bytes;
};

struct dtx_manifest {
    const struct dtx_layout *target;
    int tensor_count;
    const struct dtx_manifest_tensor *tensors;
    int file_count;
    const struct dtx_manifest_file *files;
};

/* Adds the manifest's text; text->failed when out of memory. */
void dtx_manifest_write(const struct dtx_manifest *manifest,
                        struct dtx_text *text);

/*
 * Adds the path of a target's manifest, the layout's folder included:
 * manifest.yaml in the deepest folder of the path without a field in it, or
 * FILE.manifest.yaml beside the one file.
 */
void dtx_manifest_path(const struct dtx_layout *target, struct dtx_text *path);

/* Adds the path of the journal of an unfinished target: beside the manifest,
 * `.journal` in place of `.yaml`. */
void dtx_manifest_journal_path(const struct dtx_layout *target,
                               struct dtx_text *path);

#endif
