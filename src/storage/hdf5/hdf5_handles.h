/*
 * Files and datasets that stay open between calls, for data that goes through
 * HDF5.
 *
 * Both are bounded, and so is the memory of the chunk caches: what was used
 * least recently is closed, a file with its datasets. HDF5 would keep it open
 * for these, and write its last bytes when nobody looks whether that fails.
 * Closing a written dataset writes its chunks, so it can fail.
 */
#ifndef DTX_STORAGE_HDF5_HDF5_HANDLES_H
#define DTX_STORAGE_HDF5_HDF5_HANDLES_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include <dtx/status.h>

enum { DTX_HDF5_OPEN_FILES = 64, DTX_HDF5_OPEN_DATASETS = 64 };

struct dtx_hdf5_file {
    const void *key; /* NULL: free */
    const char *path;
    hid_t id;
    uint64_t used_at;
};

struct dtx_hdf5_dataset {
    const void *key;  /* of its file; NULL: free */
    const char *file; /* its path */
    int index;        /* which of the file's, as the caller numbers them */
    hid_t id;
    hid_t type;                  /* the file's own: nothing is converted */
    int chunk_ndim;              /* 0: it isn't chunked */
    hsize_t chunk[H5S_MAX_RANK]; /* [chunk_ndim], in elements */
    size_t cache_bytes;          /* its chunk cache may take so much */
    uint64_t used_at;
};

struct dtx_hdf5_handles {
    bool writes; /* files are opened for writing; failures are the target's */
    uint64_t clock;
    struct dtx_hdf5_file files[DTX_HDF5_OPEN_FILES];
    struct dtx_hdf5_dataset datasets[DTX_HDF5_OPEN_DATASETS];
};

/* Names a dataset: key and path of its file, index and path in the file. Paths
 * live as long as keys. */
struct dtx_hdf5_name {
    const void *key;
    const char *file;
    int index;
    const char *dataset;
};

/* An open file; borrowed until the next call. */
enum dtx_status dtx_hdf5_use_file(struct dtx_hdf5_handles *handles,
                                  const void *key, const char *path,
                                  hid_t *file_out, struct dtx_error *err);

/* An open dataset; borrowed until the next call. */
enum dtx_status dtx_hdf5_use_dataset(struct dtx_hdf5_handles *handles,
                                     struct dtx_hdf5_name name,
                                     const struct dtx_hdf5_dataset **out,
                                     struct dtx_error *err);

/* Closes a file and its datasets; they need not be open. */
enum dtx_status dtx_hdf5_drop_file(struct dtx_hdf5_handles *handles,
                                   const void *key, struct dtx_error *err);

/* Closes all, failures included. */
void dtx_hdf5_handles_finish(struct dtx_hdf5_handles *handles);

#endif
