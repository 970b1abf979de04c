#include "storage/hdf5/hdf5_handles.h"

#include "storage/hdf5/hdf5_close.h"
#include "storage/hdf5/hdf5_driver.h"
#include "storage/hdf5/hdf5_elsewhere.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_open.h"
#include "util/error.h"

/*
 * Chunk caches. A box that cuts across chunks should decode each once, so a
 * cache holds one layer of chunks along the first dim, or at least one chunk
 * where that is too much.
 */
static const size_t least_cache_bytes = (size_t)1 << 20; /* HDF5's own */
static const size_t most_cache_bytes = (size_t)64 << 20;

static enum dtx_status
failure(const struct dtx_hdf5_handles *handles)
{
    return handles->writes ? DTX_ERR_TARGET : DTX_ERR_SOURCE;
}

static enum dtx_status
fail_closing(const struct dtx_hdf5_handles *handles, const char *path,
             struct dtx_error *err)
{
    return dtx_hdf5_fail(err, failure(handles), "cannot close '%s'", path);
}

/* Closes a dataset if it is open; it is closed after a failure too. */
static enum dtx_status
close_dataset(const struct dtx_hdf5_handles *handles,
              struct dtx_hdf5_dataset *dataset, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;

    if (dataset->key == NULL) {
        return DTX_OK;
    }
    if (handles->writes) {
        status = dtx_hdf5_before_close(dataset->id, dataset->file, err);
    }
    if (H5Dclose(dataset->id) < 0 && status == DTX_OK) {
        status = fail_closing(handles, dataset->file, err);
    }
    H5Tclose(dataset->type);
    dataset->key = NULL;
    return status;
}

static enum dtx_status
close_file(const struct dtx_hdf5_handles *handles, struct dtx_hdf5_file *file,
           struct dtx_error *err)
{
    if (file->key == NULL) {
        return DTX_OK;
    }
    file->key = NULL;
    if (!handles->writes) {
        return H5Fclose(file->id) < 0 ? fail_closing(handles, file->path, err)
                                      : DTX_OK;
    }
    return dtx_hdf5_finish(file->id, file->path, DTX_OK, err);
}

/* The entry of a file that is open, marked as used; NULL where it isn't. */
static struct dtx_hdf5_file *
find_file(struct dtx_hdf5_handles *handles, const void *key)
{
    int i;

    for (i = 0; i < DTX_HDF5_OPEN_FILES; i++) {
        if (handles->files[i].key == key) {
            handles->files[i].used_at = ++handles->clock;
            return &handles->files[i];
        }
    }
    return NULL;
}

/* A free entry for a file, or the least recently used. */
static struct dtx_hdf5_file *
file_room(struct dtx_hdf5_handles *handles)
{
    struct dtx_hdf5_file *room = &handles->files[0];
    int i;

    for (i = 0; i < DTX_HDF5_OPEN_FILES; i++) {
        if (handles->files[i].key == NULL) {
            return &handles->files[i];
        }
        if (handles->files[i].used_at < room->used_at) {
            room = &handles->files[i];
        }
    }
    return room;
}

/* The first failure counts. */
static void
keep_first(enum dtx_status one, const struct dtx_error *one_err,
           enum dtx_status *status, struct dtx_error *err)
{
    if (one != DTX_OK && *status == DTX_OK) {
        *status = one;
        *err = *one_err;
    }
}

/* Closes what belongs to a file, or (key NULL) everything, datasets first.
 * Goes on after a failure. */
static enum dtx_status
close_all(struct dtx_hdf5_handles *handles, const void *key,
          struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    struct dtx_error one_err;
    enum dtx_status one;
    int i;

    for (i = 0; i < DTX_HDF5_OPEN_DATASETS; i++) {
        if (key == NULL || handles->datasets[i].key == key) {
            one = close_dataset(handles, &handles->datasets[i], &one_err);
            keep_first(one, &one_err, &status, err);
        }
    }
    for (i = 0; i < DTX_HDF5_OPEN_FILES; i++) {
        if (key == NULL || handles->files[i].key == key) {
            one = close_file(handles, &handles->files[i], &one_err);
            keep_first(one, &one_err, &status, err);
        }
    }
    return status;
}

enum dtx_status
dtx_hdf5_use_file(struct dtx_hdf5_handles *handles, const void *key,
                  const char *path, hid_t *file_out, struct dtx_error *err)
{
    struct dtx_hdf5_file *room = find_file(handles, key);
    enum dtx_status status = DTX_OK;
    hid_t id;

    if (room != NULL) {
        *file_out = room->id;
        return DTX_OK;
    }
    room = file_room(handles);
    if (room->key != NULL) {
        status = close_all(handles, room->key, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    status = handles->writes ? dtx_hdf5_open_target(path, &id, err)
                             : dtx_hdf5_open_source(path, &id, NULL, err);
    if (status == DTX_OK) {
        *room = (struct dtx_hdf5_file){
            .key = key, .path = path, .id = id, .used_at = ++handles->clock};
        *file_out = id;
    }
    return status;
}

/* The memory of all chunk caches, a free entry (NULL: none) and the one that
 * was used least recently. */
static size_t
survey(struct dtx_hdf5_handles *handles, struct dtx_hdf5_dataset **free_out,
       struct dtx_hdf5_dataset **oldest_out)
{
    struct dtx_hdf5_dataset *at;
    size_t used = 0;
    int i;

    *free_out = NULL;
    *oldest_out = NULL;
    for (i = 0; i < DTX_HDF5_OPEN_DATASETS; i++) {
        at = &handles->datasets[i];
        if (at->key == NULL) {
            *free_out = at;
            continue;
        }
        used += at->cache_bytes;
        if (*oldest_out == NULL || at->used_at < (*oldest_out)->used_at) {
            *oldest_out = at;
        }
    }
    return used;
}

/* Closes datasets until there is a free entry, and room for a chunk cache. */
static enum dtx_status
make_dataset_room(struct dtx_hdf5_handles *handles, size_t cache_bytes,
                  struct dtx_hdf5_dataset **room_out, struct dtx_error *err)
{
    struct dtx_hdf5_dataset *oldest;
    enum dtx_status status = DTX_OK;
    size_t used = survey(handles, room_out, &oldest);

    while (status == DTX_OK && oldest != NULL &&
           (*room_out == NULL || used + cache_bytes > most_cache_bytes)) {
        status = close_dataset(handles, oldest, err);
        used = survey(handles, room_out, &oldest);
    }
    return status;
}

/* Bytes that the cache of a chunked dataset should hold. As double: what a
 * damaged file says can't overflow it. */
static size_t
wanted_cache(const struct dtx_hdf5_dataset *dataset)
{
    const hsize_t *chunk = dataset->chunk;
    hsize_t dims[H5S_MAX_RANK];
    hsize_t count;
    hid_t space = H5Dget_space(dataset->id);
    double chunk_bytes = (double)H5Tget_size(dataset->type);
    double layer = 1;
    int ndim = dataset->chunk_ndim;
    int d;

    if (H5Sget_simple_extent_dims(space, dims, NULL) != ndim) {
        ndim = 0;
    }
    H5Sclose(space);
    for (d = 0; d < ndim; d++) {
        chunk_bytes *= (double)chunk[d];
        count = (dims[d] + chunk[d] - 1) / chunk[d];
        layer *= d == 0 ? 1 : (double)count;
    }
    layer *= chunk_bytes;
    if (layer > (double)most_cache_bytes) {
        layer = chunk_bytes;
    }
    if (layer > (double)most_cache_bytes) {
        return most_cache_bytes;
    }
    return layer < (double)least_cache_bytes ? least_cache_bytes
                                             : (size_t)layer;
}

/* Opens a dataset with a chunk cache of its own size. */
static hid_t
open_with_cache(hid_t file, const char *path, size_t cache_bytes)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t dataset = -1;

    /* a prime; chunks that were read whole leave first */
    if (access >= 0 &&
        H5Pset_chunk_cache(access, 12421, cache_bytes, 1.0) >= 0) {
        dataset = H5Dopen2(file, path, access);
    }
    H5Pclose(access);
    return dataset;
}

/* Looks at a freshly opened dataset: its sources must be there (they may have
 * gone since the scan), and its cache large enough. */
static enum dtx_status
prepare(struct dtx_hdf5_handles *handles, hid_t file, struct dtx_hdf5_name name,
        struct dtx_hdf5_dataset *dataset, struct dtx_error *err)
{
    struct dtx_hdf5_place place = {name.file, name.dataset};
    enum dtx_status status = DTX_OK;
    hid_t properties = H5Dget_create_plist(dataset->id);

    if (H5Pget_layout(properties) == H5D_VIRTUAL && !handles->writes) {
        status = dtx_hdf5_check_virtual(dataset->id, place, NULL, err);
    } else if (H5Pget_layout(properties) == H5D_CHUNKED) {
        dataset->chunk_ndim =
            H5Pget_chunk(properties, H5S_MAX_RANK, dataset->chunk);
        dataset->cache_bytes = wanted_cache(dataset);
        if (dataset->cache_bytes > least_cache_bytes) {
            H5Dclose(dataset->id);
            dataset->id =
                open_with_cache(file, name.dataset, dataset->cache_bytes);
        }
    }
    H5Pclose(properties);
    return status;
}

static void
close_opened(struct dtx_hdf5_dataset *dataset)
{
    if (dataset->type >= 0) {
        H5Tclose(dataset->type);
    }
    if (dataset->id >= 0) {
        H5Dclose(dataset->id);
    }
}

static enum dtx_status
open_dataset(struct dtx_hdf5_handles *handles, struct dtx_hdf5_name name,
             struct dtx_hdf5_dataset *out, struct dtx_error *err)
{
    struct dtx_hdf5_dataset dataset = {
        .key = name.key, .file = name.file, .index = name.index, .type = -1};
    enum dtx_status status;
    hid_t file;

    status = dtx_hdf5_use_file(handles, name.key, name.file, &file, err);
    if (status != DTX_OK) {
        return status;
    }
    dataset.id = H5Dopen2(file, name.dataset, H5P_DEFAULT);
    if (dataset.id >= 0) {
        dataset.type = H5Dget_type(dataset.id);
    }
    if (dataset.type >= 0) {
        status = prepare(handles, file, name, &dataset, err);
    }
    if (status == DTX_OK && (dataset.id < 0 || dataset.type < 0)) {
        status = dtx_hdf5_fail(err, failure(handles),
                               "cannot open dataset '%s' of '%s'", name.dataset,
                               name.file);
    }
    if (status != DTX_OK) {
        close_opened(&dataset);
        return status;
    }
    *out = dataset;
    return DTX_OK;
}

enum dtx_status
dtx_hdf5_use_dataset(struct dtx_hdf5_handles *handles,
                     struct dtx_hdf5_name name,
                     const struct dtx_hdf5_dataset **out, struct dtx_error *err)
{
    struct dtx_hdf5_dataset opened;
    struct dtx_hdf5_dataset *room;
    enum dtx_status status;
    int i;

    for (i = 0; i < DTX_HDF5_OPEN_DATASETS; i++) {
        room = &handles->datasets[i];
        if (room->key == name.key && room->index == name.index) {
            (void)find_file(handles, name.key);
            room->used_at = ++handles->clock;
            *out = room;
            return DTX_OK;
        }
    }
    status = open_dataset(handles, name, &opened, err);
    if (status != DTX_OK) {
        return status;
    }
    status = make_dataset_room(handles, opened.cache_bytes, &room, err);
    if (status != DTX_OK) {
        close_opened(&opened);
        return status;
    }
    *room = opened;
    room->used_at = ++handles->clock;
    *out = room;
    return DTX_OK;
}

enum dtx_status
dtx_hdf5_drop_file(struct dtx_hdf5_handles *handles, const void *key,
                   struct dtx_error *err)
{
    return close_all(handles, key, err);
}

void
dtx_hdf5_handles_finish(struct dtx_hdf5_handles *handles)
{
    struct dtx_error ignored;

    close_all(handles, NULL, &ignored);
}
