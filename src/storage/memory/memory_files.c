#include "storage/memory/memory_files.h"

#include <string.h>

#include "layout/shape.h"
#include "util/alloc.h"
#include "util/error.h"

struct dtx_memory_files *
dtx_memory_files_create(void)
{
    struct dtx_memory_files *files = dtx_alloc(1, sizeof *files);

    if (files != NULL) {
        pthread_mutex_init(&files->mutex, NULL);
    }
    return files;
}

static void
finish_file(struct dtx_memory_file *file)
{
    size_t i;

    for (i = 0; i < file->blob_count; i++) {
        dtx_free(file->blobs[i].path);
        dtx_free(file->blobs[i].shape);
        dtx_free(file->blobs[i].data);
    }
    dtx_free(file->blobs);
    dtx_free(file->path);
    dtx_free(file->text);
}

void
dtx_memory_files_destroy(struct dtx_memory_files *files)
{
    size_t i;

    if (files == NULL) {
        return;
    }
    for (i = 0; i < files->count; i++) {
        finish_file(&files->files[i]);
    }
    dtx_free(files->files);
    pthread_mutex_destroy(&files->mutex);
    dtx_free(files);
}

struct dtx_memory_file *
dtx_memory_find_file(struct dtx_memory_files *files, const char *path)
{
    size_t i;

    for (i = 0; i < files->count; i++) {
        if (strcmp(files->files[i].path, path) == 0) {
            return &files->files[i];
        }
    }
    return NULL;
}

int64_t
dtx_memory_file_bytes(const struct dtx_memory_file *file)
{
    int64_t bytes = 0;
    size_t i;

    if (file == NULL) {
        return -1;
    }
    if (file->text != NULL) {
        return (int64_t)strlen(file->text);
    }
    for (i = 0; i < file->blob_count; i++) {
        bytes += (int64_t)file->blobs[i].bytes;
    }
    return bytes;
}

struct dtx_memory_blob *
dtx_memory_find_blob(struct dtx_memory_file *file, const char *path)
{
    size_t i;

    for (i = 0; file != NULL && i < file->blob_count; i++) {
        if (strcmp(file->blobs[i].path, path) == 0) {
            return &file->blobs[i];
        }
    }
    return NULL;
}

void
dtx_memory_remove_file(struct dtx_memory_files *files, const char *path)
{
    struct dtx_memory_file *file = dtx_memory_find_file(files, path);

    if (file != NULL) {
        finish_file(file);
        files->count--;
        memmove(file, file + 1,
                (size_t)(files->files + files->count - file) * sizeof *file);
    }
}

struct dtx_memory_file *
dtx_memory_add_file(struct dtx_memory_files *files, const char *path)
{
    struct dtx_memory_file file = {.path = dtx_strdup(path)};

    if (file.path == NULL || dtx_grow(&files->files, files->count,
                                      &files->capacity, sizeof file) != 0) {
        dtx_free(file.path);
        return NULL;
    }
    file.made = files->made++;
    files->files[files->count] = file;
    return &files->files[files->count++];
}

struct dtx_memory_blob *
dtx_memory_add_blob(struct dtx_memory_file *file, const char *path,
                    struct dtx_type type, int ndim, const int64_t *shape)
{
    struct dtx_memory_blob blob = {
        .path = dtx_strdup(path), .type = type, .ndim = ndim};
    int64_t count = dtx_shape_count(ndim, shape);

    blob.shape = dtx_alloc((size_t)ndim, sizeof *shape);
    blob.data = count < 0 ? NULL : dtx_alloc((size_t)count, type.size_bytes);
    if (blob.path == NULL || blob.shape == NULL || blob.data == NULL ||
        dtx_grow(&file->blobs, file->blob_count, &file->blob_capacity,
                 sizeof blob) != 0) {
        dtx_free(blob.path);
        dtx_free(blob.shape);
        dtx_free(blob.data);
        return NULL;
    }
    if (ndim > 0) {
        memcpy(blob.shape, shape, (size_t)ndim * sizeof *shape);
    }
    blob.bytes = (size_t)count * type.size_bytes;
    file->blobs[file->blob_count] = blob;
    return &file->blobs[file->blob_count++];
}

/* Adds a dataset of zeros to a file, which is made where there is none. NULL
 * when out of memory. */
static struct dtx_memory_blob *
put(struct dtx_memory_files *files, const char *file, const char *path,
    enum dtx_dtype dtype, int ndim, const int64_t *shape)
{
    struct dtx_memory_file *found = dtx_memory_find_file(files, file);

    if (found == NULL) {
        found = dtx_memory_add_file(files, file);
    }
    return found == NULL ? NULL
                         : dtx_memory_add_blob(found, path, dtx_type_of(dtype),
                                               ndim, shape);
}

enum dtx_status
dtx_memory_files_put(struct dtx_memory_files *files, const char *file,
                     const char *path, enum dtx_dtype dtype, int ndim,
                     const int64_t *shape, const void *data,
                     struct dtx_error *err)
{
    struct dtx_memory_blob *blob;

    pthread_mutex_lock(&files->mutex);
    blob = put(files, file, path, dtype, ndim, shape);
    if (blob != NULL) {
        memcpy(blob->data, data, blob->bytes);
    }
    pthread_mutex_unlock(&files->mutex);
    return blob == NULL ? dtx_error_memory(err) : DTX_OK;
}

enum dtx_status
dtx_memory_files_put_object(struct dtx_memory_files *files, const char *file,
                            const char *path, const char *value,
                            struct dtx_error *err)
{
    int64_t bytes = (int64_t)strlen(value);
    struct dtx_memory_blob *blob;

    pthread_mutex_lock(&files->mutex);
    blob = put(files, file, path, DTX_UINT8, 1, &bytes);
    if (blob != NULL) {
        blob->is_object = true;
        memcpy(blob->data, value, blob->bytes);
    }
    pthread_mutex_unlock(&files->mutex);
    return blob == NULL ? dtx_error_memory(err) : DTX_OK;
}

void
dtx_memory_files_spoil(struct dtx_memory_files *files, const char *file,
                       const char *path)
{
    struct dtx_memory_blob *blob;

    pthread_mutex_lock(&files->mutex);
    blob = dtx_memory_find_blob(dtx_memory_find_file(files, file), path);
    if (blob != NULL) {
        blob->is_unreadable = true;
    }
    pthread_mutex_unlock(&files->mutex);
}

const void *
dtx_memory_files_get(struct dtx_memory_files *files, const char *file,
                     const char *path, int *ndim_out, int64_t *shape_out)
{
    const void *data = NULL;
    struct dtx_memory_blob *blob;

    pthread_mutex_lock(&files->mutex);
    blob = dtx_memory_find_blob(dtx_memory_find_file(files, file), path);
    if (blob != NULL) {
        *ndim_out = blob->ndim;
        memcpy(shape_out, blob->shape, (size_t)blob->ndim * sizeof *shape_out);
        data = blob->data;
    }
    pthread_mutex_unlock(&files->mutex);
    return data;
}
