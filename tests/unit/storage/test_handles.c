#include <criterion/criterion.h>

#include "storage/hdf5/hdf5_internal.h"
#include "store.h"

enum { FILES = DTX_HDF5_OPEN_FILES + 8, COUNT = 16 };

static const int64_t shape[1] = {COUNT};

static void
write_one(struct store *s, const struct dtx_target_file *file, int dataset)
{
    const int64_t lo[1] = {0};
    const uint16_t row[COUNT] = {1};

    cr_assert_eq(s->storage->ops->write(s->storage, file, dataset, lo, shape,
                                        row, &s->err),
                 DTX_OK, "%s", s->err.message);
}

/* Ends the test unless each dataset that is open stands in an open file. */
static void
check_handles(const struct dtx_hdf5_handles *handles)
{
    for (int i = 0; i < DTX_HDF5_OPEN_DATASETS; i++) {
        bool is_found = handles->datasets[i].key == NULL;

        for (int k = 0; k < DTX_HDF5_OPEN_FILES && !is_found; k++) {
            is_found = handles->files[k].key == handles->datasets[i].key;
        }
        cr_assert(is_found, "HDF5 holds '%s' open by itself",
                  handles->datasets[i].file);
    }
}

Test(handles, no_file_is_closed_without_its_datasets)
{
    struct dtx_target_file *files[FILES];
    struct store s;

    cr_assert(store_begin(&s));
    for (int i = 0; i < FILES; i++) {
        files[i] =
            store_target(&s, dtx_arena_format(&s.arena, "target-%d.h5", i), 2);
        store_set(files[i], 0, "a", dtx_type_of(DTX_UINT16), 1, shape);
        store_set(files[i], 1, "b", dtx_type_of(DTX_UINT16), 1, shape);
        files[i]->gzip = true;
        cr_assert_eq(s.storage->ops->create(s.storage, files[i], &s.err),
                     DTX_OK, "%s", s.err.message);
    }
    for (int i = 0; i < FILES; i++) {
        write_one(&s, files[i], 1);
        write_one(&s, files[0], 0); /* its file is asked for just once */
        check_handles(&((struct dtx_hdf5_storage *)s.storage)->targets);
    }
    for (int i = 0; i < FILES; i++) {
        cr_assert_eq(s.storage->ops->close(s.storage, files[i], &s.err), DTX_OK,
                     "%s", s.err.message);
    }
    store_finish(&s);
}
