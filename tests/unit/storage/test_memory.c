#include <criterion/criterion.h>
#include <string.h>

#include "storage/memory/memory_storage.h"
#include "store.h"

/* A store whose storage is one over files in memory. */
static struct dtx_memory_files *
memory_begin(struct store *s)
{
    struct dtx_memory_files *files = dtx_memory_files_create();

    cr_assert(store_begin(s));
    s->storage->ops->destroy(s->storage);
    cr_assert_eq(dtx_memory_storage_create(files, &s->storage, &s->err),
                 DTX_OK);
    return files;
}

static void
memory_finish(struct store *s, struct dtx_memory_files *files)
{
    store_finish(s);
    dtx_memory_files_destroy(files);
}

static const int64_t shape[2] = {3, 4};
static const int16_t data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

Test(memory, what_was_put_is_scanned_and_read_in_boxes)
{
    struct store s;
    struct dtx_memory_files *files = memory_begin(&s);
    int16_t got[4];

    cr_assert_eq(dtx_memory_files_put(files, "src", "b", DTX_INT16, 2, shape,
                                      data, &s.err),
                 DTX_OK);
    cr_assert_eq(dtx_memory_files_put(files, "src", "a", DTX_INT16, 0, NULL,
                                      data + 5, &s.err),
                 DTX_OK);
    cr_assert_eq(store_scan(&s, "src"), DTX_OK, "%s", s.err.message);
    cr_assert_eq(s.catalog->dataset_count, 2);
    cr_assert_eq(s.catalog->file_sizes[0], 26);
    cr_assert_eq(store_read(&s, "b", (int64_t[]){1, 2}, (int64_t[]){2, 2}, got),
                 DTX_OK);
    cr_assert_arr_eq(got, ((int16_t[]){6, 7, 10, 11}), sizeof got);
    cr_assert_eq(store_read(&s, "a", NULL, NULL, got), DTX_OK);
    cr_assert_eq(got[0], 5);
    cr_assert_eq(store_scan(&s, "other"), DTX_ERR_SOURCE);
    memory_finish(&s, files);
}

/* Digests are those of the values, wherever these stand. */
Test(memory, objects_have_digests_and_are_copied)
{
    struct store s;
    struct dtx_memory_files *files = memory_begin(&s);
    const struct dtx_storage_ops *ops = s.storage->ops;
    struct dtx_target_file *file = store_target(&s, "/dst", 0);
    struct dtx_target_object object = {.path = "c"};
    uint64_t one, other;

    cr_assert_eq(dtx_memory_files_put_object(files, "src", "a", "one", &s.err),
                 DTX_OK);
    cr_assert_eq(dtx_memory_files_put_object(files, "src", "b", "two", &s.err),
                 DTX_OK);
    cr_assert_eq(dtx_memory_files_put_object(files, "src", "x", "", &s.err),
                 DTX_OK);
    dtx_memory_files_spoil(files, "src", "x");
    cr_assert_eq(store_scan(&s, "src"), DTX_OK, "%s", s.err.message);
    cr_assert_eq(store_find(&s, "a")->form, DTX_FORM_OBJECT);
    cr_assert_eq(ops->digest_object(s.storage, 0, &one, &s.err), DTX_OK);
    cr_assert_eq(ops->digest_object(s.storage, 1, &other, &s.err), DTX_OK);
    cr_assert_neq(one, other);
    cr_assert_eq(ops->digest_object(s.storage, 2, &other, &s.err),
                 DTX_ERR_SOURCE);

    file->object_count = 1;
    file->objects = &object;
    cr_assert_eq(ops->create(s.storage, file, &s.err), DTX_OK);
    cr_assert_eq(store_scan(&s, file->temporary), DTX_OK);
    cr_assert_eq(store_find(&s, "c")->form, DTX_FORM_OBJECT);
    cr_assert_eq(ops->digest_object(s.storage, 0, &other, &s.err), DTX_OK);
    cr_assert_eq(one, other);
    memory_finish(&s, files);
}

Test(memory, a_target_is_made_written_and_committed)
{
    struct store s;
    struct dtx_memory_files *files = memory_begin(&s);
    const struct dtx_storage_ops *ops = s.storage->ops;
    struct dtx_target_file *file = store_target(&s, "/dst", 1);
    int64_t got_shape[DTX_NDIM_MAX];
    const int16_t *got;
    int ndim;

    store_set(file, 0, "w", dtx_type_of(DTX_INT16), 2, shape);
    cr_assert_eq(ops->create(s.storage, file, &s.err), DTX_OK);
    cr_assert_neq(file->datasets[0].offset, 0);
    cr_assert_eq(ops->write(s.storage, file, 0, (int64_t[]){0, 1},
                            (int64_t[]){3, 1}, data + 1, &s.err),
                 DTX_OK);
    cr_assert_eq(ops->close(s.storage, file, &s.err), DTX_OK);
    cr_assert_not(ops->exists(s.storage, "/dst"));
    cr_assert_eq(ops->commit(s.storage, file->temporary, "/dst", &s.err),
                 DTX_OK);
    got = dtx_memory_files_get(files, "/dst", "w", &ndim, got_shape);
    cr_assert_eq(ndim, 2);
    cr_assert_arr_eq(got_shape, shape, sizeof shape);
    cr_assert_arr_eq(got, ((int16_t[]){0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0}),
                     24);
    cr_assert_eq(ops->size(s.storage, "/dst"), 24);
    ops->remove(s.storage, "/dst");
    cr_assert_eq(ops->size(s.storage, "/dst"), -1);
    memory_finish(&s, files);
}

Test(memory, the_call_that_is_to_fail_fails_and_no_other)
{
    struct store s;
    struct dtx_memory_files *files = memory_begin(&s);
    int16_t got[12];

    cr_assert_eq(dtx_memory_files_put(files, "src", "w", DTX_INT16, 2, shape,
                                      data, &s.err),
                 DTX_OK);
    cr_assert_eq(store_scan(&s, "src"), DTX_OK);
    dtx_memory_storage_fail(s.storage, 2, 0);
    cr_assert_eq(store_read(&s, "w", NULL, NULL, got), DTX_OK);
    cr_assert_eq(store_read(&s, "w", NULL, NULL, got), DTX_ERR_SOURCE);
    cr_assert_eq(store_read(&s, "w", NULL, NULL, got), DTX_OK);
    memory_finish(&s, files);
}

Test(memory, text_is_a_file_too)
{
    struct store s;
    struct dtx_memory_files *files = memory_begin(&s);
    const struct dtx_storage_ops *ops = s.storage->ops;

    cr_assert_eq(ops->write_text(s.storage, "m", "long text", &s.err), DTX_OK);
    cr_assert_eq(ops->write_text(s.storage, "m", "text", &s.err), DTX_OK);
    cr_assert_eq(ops->size(s.storage, "m"), 4);
    cr_assert_eq(store_scan(&s, "m"), DTX_ERR_SOURCE);
    memory_finish(&s, files);
}
