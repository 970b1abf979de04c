/* realpath() is of XSI. */
#define _XOPEN_SOURCE 700

#include "file_search.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

enum { DEPTH_MAX = 16, FILE_COUNT_MAX = 1 << 20 };

static const char hdf5_signature[] = "\x89HDF\r\n\x1a\n";

static bool
has_signature(const char *path)
{
    char head[sizeof(hdf5_signature) - 1];
    FILE *stream = fopen(path, "rb");
    bool result;

    if (stream == NULL) {
        return false;
    }
    result = fread(head, 1, sizeof(head), stream) == sizeof(head) &&
             memcmp(head, hdf5_signature, sizeof(head)) == 0;
    fclose(stream);
    return result;
}

static bool
ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path);
    size_t size = strlen(ending);

    return length >= size && strcmp(path + length - size, ending) == 0;
}

/* What can't be read counts by its name, so that reading it says why. */
static bool
is_hdf5(const char *path)
{
    return ends_with(path, ".h5") || ends_with(path, ".hdf5") ||
           has_signature(path);
}

static enum dtx_status
add_path(struct file_list *list, const char *path, struct dtx_error *err)
{
    char *copy;

    while (strncmp(path, "./", 2) == 0) {
        path += 2;
    }
    if (list->count >= FILE_COUNT_MAX) {
        return dtx_error_set(err, DTX_ERR_LIMIT, "there are more than %d files",
                             FILE_COUNT_MAX);
    }
    copy = dtx_strdup(path);
    if (copy == NULL || dtx_grow(&list->paths, list->count, &list->capacity,
                                 sizeof(*list->paths)) != 0) {
        dtx_free(copy);
        return dtx_error_memory(err);
    }
    list->paths[list->count++] = copy;
    return DTX_OK;
}

static enum dtx_status
refuse(const char *path, struct dtx_error *err)
{
    return dtx_error_set(err, DTX_ERR_SOURCE, "cannot read '%s': %s", path,
                         strerror(errno));
}

static enum dtx_status add_folder(struct file_list *list, const char *folder,
                                  int depth, struct dtx_error *err);

static enum dtx_status
add_entry(struct file_list *list, const char *path, int depth,
          struct dtx_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0) {
        return DTX_OK; /* a link to nothing */
    }
    if (S_ISDIR(info.st_mode)) {
        return depth < DEPTH_MAX ? add_folder(list, path, depth + 1, err)
                                 : DTX_OK;
    }
    return S_ISREG(info.st_mode) && is_hdf5(path) ? add_path(list, path, err)
                                                  : DTX_OK;
}

static int
is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static enum dtx_status
add_folder(struct file_list *list, const char *folder, int depth,
           struct dtx_error *err)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    enum dtx_status status = DTX_OK;

    if (count < 0) {
        return refuse(folder, err);
    }
    for (int i = 0; i < count; i++) {
        struct dtx_text path = {0};

        dtx_text_format(&path, "%s%s%s", folder,
                        ends_with(folder, "/") ? "" : "/", entries[i]->d_name);
        if (status == DTX_OK) {
            status = path.failed ? dtx_error_memory(err)
                                 : add_entry(list, path.data, depth, err);
        }
        dtx_text_finish(&path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

enum dtx_status
file_list_add(struct file_list *list, const char *path, struct dtx_error *err)
{
    size_t before = list->count;
    struct stat info;
    enum dtx_status status;

    if (stat(path, &info) != 0) {
        return refuse(path, err);
    }
    if (!S_ISDIR(info.st_mode)) {
        return add_path(list, path, err);
    }
    status = add_folder(list, path, 0, err);
    if (status == DTX_OK && list->count == before) {
        status = dtx_error_set(err, DTX_ERR_SOURCE,
                               "there are no HDF5 files in '%s'", path);
    }
    return status;
}

void
file_list_finish(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        dtx_free(list->paths[i]);
    }
    dtx_free(list->paths);
    *list = (struct file_list){0};
}

/* The path as the layout in a folder names it, from malloc; NULL with errno
 * set. */
static char *
move_path(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    if (*path == '/' || strcmp(folder, ".") == 0) {
        return strdup(path);
    }
    if (strncmp(path, folder, length) == 0 && path[length] == '/') {
        return strdup(path + length + 1);
    }
    return realpath(path, NULL);
}

enum dtx_status
file_list_move(struct file_list *list, const char *folder,
               struct dtx_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        char *moved = move_path(list->paths[i], folder);
        char *copy = moved != NULL ? dtx_strdup(moved) : NULL;

        if (moved == NULL) {
            return refuse(list->paths[i], err);
        }
        free(moved);
        if (copy == NULL) {
            return dtx_error_memory(err);
        }
        dtx_free(list->paths[i]);
        list->paths[i] = copy;
    }
    return DTX_OK;
}
