#include "layout/catalog.h"

#include <string.h>

#include "layout/limits.h"
#include "layout/listing.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"

int
dtx_catalog_find(const struct dtx_catalog *catalog, int file, const char *path)
{
    int first = 0;
    int last = catalog->dataset_count - 1;

    while (first <= last) {
        int middle = first + (last - first) / 2;
        const struct dtx_dataset *d = &catalog->datasets[middle];
        int order =
            d->file != file ? (d->file < file ? -1 : 1) : strcmp(d->path, path);

        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            first = middle + 1;
        } else {
            last = middle - 1;
        }
    }
    return -1;
}

void
dtx_catalog_destroy(struct dtx_catalog *catalog)
{
    if (catalog == NULL) {
        return;
    }
    dtx_arena_finish(&catalog->arena);
    dtx_free(catalog);
}

/* The file of each position, numbered by path; false when out of memory. */
static bool
number_files(const struct dtx_layout *layout, struct dtx_names *names,
             int *position_file)
{
    struct dtx_text path = {0};
    bool is_done = true;
    int position;

    for (position = 0; position < layout->mesh.position_count && is_done;
         position++) {
        path.length = 0;
        dtx_layout_file(layout, position, &path);
        position_file[position] =
            path.failed ? -1 : dtx_names_add(names, path.data);
        is_done = position_file[position] >= 0;
    }
    dtx_text_finish(&path);
    return is_done;
}

int
dtx_catalog_paths(const struct dtx_layout *layout, struct dtx_arena *arena,
                  int **position_file_out, const char ***paths_out)
{
    struct dtx_names names = {0};
    int *position_file = dtx_arena_alloc(
        arena, (size_t)layout->mesh.position_count, sizeof(*position_file));
    const char **paths = NULL;
    int count = -1;
    int i;

    if (position_file != NULL && number_files(layout, &names, position_file)) {
        paths = dtx_arena_alloc(arena, (size_t)names.count, sizeof(*paths));
    }
    if (paths != NULL) {
        count = names.count;
    }
    for (i = 0; i < count; i++) {
        paths[i] = dtx_arena_string(arena, names.strings[i]);
        if (paths[i] == NULL) {
            count = -1;
        }
    }
    dtx_names_finish(&names);
    if (count >= 0) {
        *position_file_out = position_file;
        *paths_out = paths;
    }
    return count;
}

/* ---------------------------------------------------------------- given */

static enum dtx_status
check_spec(const struct dtx_tensor_spec *spec, struct dtx_error *err)
{
    int64_t bytes = (int64_t)dtx_dtype_size(spec->dtype);
    int dim;

    if (spec->name[0] == '\0' || bytes == 0 || spec->ndim < 0 ||
        spec->ndim > DTX_NDIM_MAX) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "the tensor '%s' has no name, no known dtype, or "
                             "not 0 to %d dims",
                             spec->name, DTX_NDIM_MAX);
    }
    for (dim = 0; dim < spec->ndim; dim++) {
        if (spec->shape[dim] < 0 ||
            dtx_mul_overflows(bytes, spec->shape[dim], &bytes)) {
            dtx_error_set(err, DTX_ERR_INVALID,
                          "the shape has a negative extent or too many "
                          "elements");
            dtx_error_tensor(err, "'%s'", spec->name);
            return DTX_ERR_INVALID;
        }
    }
    return DTX_OK;
}

static enum dtx_status
add_spec(struct dtx_catalog *catalog, const struct dtx_tensor_spec *spec,
         struct dtx_names *names, struct dtx_error *err)
{
    struct dtx_table_entry *entry = &catalog->entries[catalog->entry_count];
    enum dtx_status status = check_spec(spec, err);
    int before = names->count;
    int number;

    if (status != DTX_OK) {
        return status;
    }
    number = dtx_names_add(names, spec->name);
    if (number >= 0 && names->count == before) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "the tensor '%s' is given twice", spec->name);
    }
    *entry = (struct dtx_table_entry){
        .name = dtx_arena_string(&catalog->arena, spec->name),
        .type = dtx_type_of(spec->dtype),
        .ndim = spec->ndim,
        .shape = dtx_arena_copy(&catalog->arena, spec->shape,
                                (size_t)spec->ndim, sizeof *spec->shape)};
    catalog->entry_count++;
    return number < 0 || entry->name == NULL || entry->shape == NULL
               ? dtx_error_memory(err)
               : DTX_OK;
}

enum dtx_status
dtx_catalog_create(const struct dtx_tensor_spec *specs, int count,
                   struct dtx_catalog **catalog_out, struct dtx_error *err)
{
    struct dtx_catalog *catalog = dtx_alloc(1, sizeof *catalog);
    struct dtx_names names = {0};
    enum dtx_status status = DTX_OK;
    int i;

    if (catalog == NULL) {
        return dtx_error_memory(err);
    }
    catalog->entries = dtx_arena_alloc(&catalog->arena, (size_t)count,
                                       sizeof *catalog->entries);
    if (catalog->entries == NULL) {
        status = dtx_error_memory(err);
    }
    for (i = 0; i < count && status == DTX_OK; i++) {
        status = add_spec(catalog, &specs[i], &names, err);
    }
    dtx_names_finish(&names);
    if (status != DTX_OK) {
        dtx_catalog_destroy(catalog);
        return status;
    }
    *catalog_out = catalog;
    return DTX_OK;
}
