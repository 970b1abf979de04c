#include "layout/catalog.h"

#include <string.h>

#include "layout/listing.h"
#include "util/alloc.h"

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
