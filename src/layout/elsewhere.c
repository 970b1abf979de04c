#include "layout/elsewhere.h"

#include <string.h>

#include "util/alloc.h"

int
dtx_elsewhere_add(struct dtx_elsewhere *elsewhere, const char *path,
                  uint64_t size, int64_t time)
{
    size_t count = (size_t)elsewhere->paths.count;

    if (dtx_names_find(&elsewhere->paths, path) >= 0) {
        return 0;
    }
    if (dtx_grow(&elsewhere->states, count, &elsewhere->capacity,
                 sizeof *elsewhere->states) != 0) {
        return -1;
    }
    elsewhere->states[count] = (struct dtx_elsewhere_state){size, time};
    return dtx_names_add(&elsewhere->paths, path) < 0 ? -1 : 0;
}

/* A longer copy of an array in the catalog's arena, or NULL. */
static void *
lengthen(struct dtx_catalog *catalog, const void *from, size_t count,
         size_t size)
{
    char *to = dtx_arena_alloc(&catalog->arena, count, size);

    if (to != NULL && catalog->file_count > 0) {
        memcpy(to, from, (size_t)catalog->file_count * size);
    }
    return to;
}

int
dtx_elsewhere_store(const struct dtx_elsewhere *elsewhere,
                    struct dtx_catalog *catalog)
{
    int own = catalog->file_count, added = elsewhere->paths.count, i;
    size_t count = (size_t)own + (size_t)added;
    const char **files =
        lengthen(catalog, catalog->files, count, sizeof *files);
    uint64_t *sizes =
        lengthen(catalog, catalog->file_sizes, count, sizeof *sizes);
    int64_t *times =
        lengthen(catalog, catalog->file_times, count, sizeof *times);

    if (files == NULL || sizes == NULL || times == NULL) {
        return -1;
    }
    for (i = 0; i < added; i++) {
        files[own + i] =
            dtx_arena_string(&catalog->arena, elsewhere->paths.strings[i]);
        sizes[own + i] = elsewhere->states[i].size;
        times[own + i] = elsewhere->states[i].time;
        if (files[own + i] == NULL) {
            return -1;
        }
    }
    catalog->files = files;
    catalog->file_sizes = sizes;
    catalog->file_times = times;
    catalog->watched_count = own + added;
    return 0;
}

void
dtx_elsewhere_finish(struct dtx_elsewhere *elsewhere)
{
    dtx_names_finish(&elsewhere->paths);
    dtx_free(elsewhere->states);
    *elsewhere = (struct dtx_elsewhere){0};
}
