/*
 * Catalogs: which tensors a source holds, before any of their data is read.
 *
 * Functions are local unless they say that they are collective.
 * dtx_catalog_destroy() takes NULL.
 */
#ifndef DTX_CATALOG_H
#define DTX_CATALOG_H

#include <stdbool.h>

#include <dtx/diagnostic.h>
#include <dtx/dtype.h>
#include <dtx/layout.h>
#include <dtx/progress.h>
#include <dtx/status.h>
#include <dtx/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dtx_catalog;

/* Processes that may read files. */
struct dtx_readers {
    int count; /* >= 1 */
    const int *processes;
};

/*
 * Reads the catalog of a source from its files.
 *
 * readers  NULL: all processes
 *
 * Each file is opened by one process; all get the same catalog. Collective
 * over the transport; every process leaves with the same status.
 *
 * Fails with DTX_ERR_SOURCE where a file is missing, can't be read, or isn't
 * an HDF5 file, and with DTX_ERR_INVALID where a reader isn't there.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_catalog_read(const struct dtx_layout *layout,
                 struct dtx_transport *transport,
                 const struct dtx_readers *readers,
                 struct dtx_catalog **catalog_out, struct dtx_error *err);

struct dtx_catalog_options {
    const struct dtx_readers *readers; /* NULL: all processes */
    dtx_progress_visit *progress;      /* may be NULL; counts files */
    void *progress_context;
};

/* The same, with more to say. Collective. */
DTX_API DTX_NODISCARD enum dtx_status
dtx_catalog_read_with(const struct dtx_layout *layout,
                      struct dtx_transport *transport,
                      const struct dtx_catalog_options *options,
                      struct dtx_catalog **catalog_out, struct dtx_error *err);

/* A tensor of a source that has no files. */
struct dtx_tensor_spec {
    const char *name; /* in the source */
    enum dtx_dtype dtype;
    int ndim;
    const int64_t *shape; /* [ndim] logical, of the whole tensor */
};

/*
 * Makes a catalog of tensors that are given. Local.
 *
 * specs  [count] copied; each name once
 *
 * Fails with DTX_ERR_INVALID where a spec can't be.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_catalog_create(const struct dtx_tensor_spec *specs, int count,
                   struct dtx_catalog **catalog_out, struct dtx_error *err);

/* True where the layout names a tensor table with `catalog`. Local. */
DTX_API bool dtx_layout_has_table(const struct dtx_layout *layout);

/*
 * Loads the tensor table that a layout's `catalog` names. Local.
 *
 * list  receives the mistakes in the table
 *
 * Fails with DTX_ERR_INVALID when the list has errors, DTX_ERR_SOURCE when the
 * table can't be read.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_catalog_load_table(const struct dtx_layout *layout,
                       struct dtx_diagnostics *list,
                       struct dtx_catalog **catalog_out, struct dtx_error *err);

/* True where a file of the layout's path exists: scan rather than the table. */
DTX_API bool dtx_layout_has_files(const struct dtx_layout *layout);

DTX_API void dtx_catalog_destroy(struct dtx_catalog *catalog);

#ifdef __cplusplus
}
#endif
#endif
