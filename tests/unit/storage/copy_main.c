/*
 * For h5py_files.py: copies an HDF5 file through the storage, dataset by
 * dataset, and prints what the catalog has.
 *
 *     copy SRC DST [contiguous | gzip | CHUNK …]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

static void
print_dataset(const struct dtx_catalog *catalog, const struct dtx_dataset *d)
{
    static const char *const forms[] = {"contiguous", "stored", "empty",
                                        "object"};
    int i;

    printf("%s\t%s\t[", d->path,
           d->type.dtype == DTX_RAW
               ? catalog->raw_types[d->type.raw_index].description
               : dtx_dtype_name(d->type.dtype));
    for (i = 0; i < d->ndim; i++) {
        printf("%s%" PRId64, i == 0 ? "" : ", ", d->shape[i]);
    }
    printf("]\t%s\t%s\t", forms[d->form], d->is_big_endian ? "big" : "little");
    for (i = 0; i < d->attribute_count; i++) {
        printf("%s%s", i == 0 ? "" : ",", d->attributes[i].name);
    }
    printf("\n");
}

static void
choose_form(struct store *s, struct dtx_target_file *file, int count,
            char **words)
{
    int64_t *chunks = dtx_arena_alloc(&s->arena, (size_t)count, 8);
    int i;

    if (count == 1 && strcmp(words[0], "gzip") == 0) {
        file->gzip = true;
    } else if (count > 0 && strcmp(words[0], "contiguous") != 0) {
        for (i = 0; i < count; i++) {
            chunks[i] = atoll(words[i]);
        }
        file->chunks = chunks;
        file->chunk_count = count;
    }
}

int
main(int argument_count, char **arguments)
{
    struct dtx_target_file *file;
    struct store s;
    enum dtx_status status;
    int i;

    if (argument_count < 3 || !store_begin(&s)) {
        return 2;
    }
    status = store_scan(&s, arguments[1]);
    if (status == DTX_OK) {
        for (i = 0; i < s.catalog->dataset_count; i++) {
            print_dataset(s.catalog, &s.catalog->datasets[i]);
        }
        file = store_copy_target(&s, arguments[2]);
        choose_form(&s, file, argument_count - 3, arguments + 3);
        status = store_copy(&s, file);
    }
    if (status != DTX_OK) {
        fprintf(stderr, "%s\n", s.err.message);
    }
    store_finish(&s);
    return (int)status;
}
