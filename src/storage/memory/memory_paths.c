/*
 * Whole files of a storage in memory: put in place, asked about, removed.
 */
#include <string.h>

#include "storage/memory/memory_internal.h"
#include "util/alloc.h"
#include "util/error.h"

enum dtx_status
dtx_memory_commit(struct dtx_storage *storage, const char *from, const char *to,
                  struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    enum dtx_status status = DTX_OK;
    char *path = dtx_strdup(to);
    struct dtx_memory_file *file;

    if (path == NULL) {
        status = dtx_error_memory(err);
    } else if (dtx_memory_find_file(self->files, from) == NULL) {
        dtx_free(path);
        status = dtx_error_set(
            err, DTX_ERR_TARGET,
            "cannot rename '%s' to '%s': no such file or directory", from, to);
    } else {
        dtx_memory_remove_file(self->files, to);
        file = dtx_memory_find_file(self->files, from);
        dtx_free(file->path);
        file->path = path;
    }
    dtx_memory_leave(self);
    return status;
}

enum dtx_status
dtx_memory_write_text(struct dtx_storage *storage, const char *path,
                      const char *text, struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    enum dtx_status status = DTX_OK;
    char *copy = dtx_strdup(text);
    struct dtx_memory_file *file = NULL;

    if (copy != NULL) {
        dtx_memory_remove_file(self->files, path);
        file = dtx_memory_add_file(self->files, path);
    }
    if (file != NULL) {
        file->text = copy;
    } else {
        dtx_free(copy);
        status = dtx_error_memory(err);
    }
    dtx_memory_leave(self);
    return status;
}

void
dtx_memory_remove(struct dtx_storage *storage, const char *path)
{
    struct memory_storage *self = dtx_memory_enter(storage);

    dtx_memory_remove_file(self->files, path);
    dtx_memory_leave(self);
}

/* There are none. */
void
dtx_memory_remove_folders(struct dtx_storage *storage)
{
    (void)storage;
}

bool
dtx_memory_exists(struct dtx_storage *storage, const char *path)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    bool is_there = dtx_memory_find_file(self->files, path) != NULL;

    dtx_memory_leave(self);
    return is_there;
}

bool
dtx_memory_is_missing(struct dtx_storage *storage, const char *path)
{
    return !dtx_memory_exists(storage, path);
}

int64_t
dtx_memory_size(struct dtx_storage *storage, const char *path)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    int64_t bytes =
        dtx_memory_file_bytes(dtx_memory_find_file(self->files, path));

    dtx_memory_leave(self);
    return bytes;
}

int64_t
dtx_memory_modified(struct dtx_storage *storage, const char *path)
{
    return dtx_memory_exists(storage, path) ? 0 : -1;
}

/* The time is counted in files that were made. */
bool
dtx_memory_mark(struct dtx_storage *storage, const char *path,
                int64_t *bytes_out, int64_t *modified_ns_out)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    const struct dtx_memory_file *file =
        dtx_memory_find_file(self->files, path);

    if (file != NULL) {
        *bytes_out = dtx_memory_file_bytes(file);
        *modified_ns_out = file->made;
    }
    dtx_memory_leave(self);
    return file != NULL;
}

bool
dtx_memory_space(struct dtx_storage *storage, const char *path,
                 uint64_t *system_out, uint64_t *free_out)
{
    (void)storage;
    (void)path;
    (void)system_out;
    (void)free_out;
    return false;
}

uint64_t
dtx_memory_holes(struct dtx_storage *storage, const char *path)
{
    (void)storage;
    (void)path;
    return 0;
}

bool
dtx_memory_identify(struct dtx_storage *storage, const char *path,
                    struct dtx_text *text)
{
    (void)storage;
    dtx_text_add(text, path);
    return true;
}

/* Nothing stands between a file in memory and its reader. */
void
dtx_memory_forget(struct dtx_storage *storage, const char *path)
{
    (void)storage;
    (void)path;
}
