#include <criterion/criterion.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/files.h"
#include "store.h"

static const int64_t shape[2] = {100, 50};
static const int64_t zeros[2];

static enum dtx_status
create(struct store *s, struct dtx_target_file *file)
{
    return s->storage->ops->create(s->storage, file, &s->err);
}

/* One float32 dataset "w" [100, 50]. */
static struct dtx_target_file *
simple_target(struct store *s, const char *name)
{
    struct dtx_target_file *file = store_target(s, name, 1);

    store_set(file, 0, "w", dtx_type_of(DTX_FLOAT32), 2, shape);
    return file;
}

Test(create, folders_are_made_and_the_whole_file_reads_as_zeros)
{
    struct dtx_target_file *file;
    struct store s;
    float got[5000];
    int64_t bytes;
    int i;

    cr_assert(store_begin(&s));
    file = simple_target(&s, "a/b//c/x.h5");
    cr_assert_eq(create(&s, file), DTX_OK, "%s", s.err.message);
    bytes = s.storage->ops->size(s.storage, file->temporary);
    cr_assert_geq(bytes, (int64_t)file->datasets[0].offset + 20000);
    cr_assert_leq(bytes, 40000, "a small file stays small");
    cr_assert_not(s.storage->ops->exists(s.storage, file->path));
    cr_assert_eq(s.storage->ops->close(s.storage, file, &s.err), DTX_OK);
    cr_assert_eq(
        s.storage->ops->commit(s.storage, file->temporary, file->path, &s.err),
        DTX_OK);
    cr_assert_not(s.storage->ops->exists(s.storage, file->temporary));
    cr_assert_eq(store_scan(&s, file->path), DTX_OK, "%s", s.err.message);
    cr_assert_eq(store_read(&s, "w", NULL, NULL, got), DTX_OK);
    for (i = 0; i < 5000; i++) {
        cr_assert_eq(got[i], 0);
    }
    store_finish(&s);
}

Test(create, another_storage_writes_by_the_offsets_alone)
{
    struct dtx_target_file *file;
    struct dtx_target_file copy;
    struct dtx_storage *other;
    struct store s;
    float row[50];
    float got[5000];
    int i;

    cr_assert(store_begin(&s));
    file = simple_target(&s, "x.h5");
    file->is_shared = true;
    cr_assert_eq(create(&s, file), DTX_OK);
    copy = *file;
    copy.create = false;
    cr_assert_eq(dtx_hdf5_storage_create(&other, &s.err), DTX_OK);
    for (i = 0; i < 50; i++) {
        row[i] = (float)i;
    }
    cr_assert_eq(other->ops->write(other, &copy, 0, (int64_t[]){99, 0},
                                   (int64_t[]){1, 50}, row, &s.err),
                 DTX_OK);
    cr_assert_eq(other->ops->close(other, &copy, &s.err), DTX_OK);
    cr_assert_eq(s.storage->ops->close(s.storage, file, &s.err), DTX_OK);
    other->ops->destroy(other);
    cr_assert_eq(store_scan(&s, file->temporary), DTX_OK);
    cr_assert_eq(store_read(&s, "w", NULL, NULL, got), DTX_OK);
    cr_assert_arr_eq(got + 4950, row, sizeof row);
    cr_assert_eq(got[4949], 0);
    store_finish(&s);
}

Test(create, a_link_at_the_temporary_name_is_replaced_and_not_followed)
{
    struct dtx_target_file *file;
    struct stat info;
    struct store s;

    cr_assert(store_begin(&s));
    file = simple_target(&s, "x.h5");
    cr_assert_eq(
        dtx_file_write_text(store_path(&s, "precious"), "text", &s.err),
        DTX_OK);
    cr_assert_eq(symlink(store_path(&s, "precious"), file->temporary), 0);
    cr_assert_eq(create(&s, file), DTX_OK);
    cr_assert_eq(dtx_file_size(store_path(&s, "precious")), 4);
    cr_assert_eq(lstat(file->temporary, &info), 0);
    cr_assert(S_ISREG(info.st_mode));
    store_finish(&s);
}

Test(create, permissions_follow_the_umask)
{
    struct dtx_target_file *file;
    struct stat info;
    struct store s;

    cr_assert(store_begin(&s));
    umask(027);
    file = simple_target(&s, "d/x.h5");
    cr_assert_eq(create(&s, file), DTX_OK);
    stat(file->temporary, &info);
    cr_assert_eq(info.st_mode & 0777, 0640);
    stat(store_path(&s, "d"), &info);
    cr_assert_eq(info.st_mode & 0777, 0750);
    store_finish(&s);
}

static void
fails_to_create(struct store *s, const char *name, const char *words)
{
    struct dtx_target_file *file = simple_target(s, name);

    cr_assert_eq(create(s, file), DTX_ERR_TARGET, "%s", name);
    cr_assert(strstr(s->err.message, words) != NULL, "%s", s->err.message);
    cr_assert(strstr(s->err.message, s->folder) != NULL, "%s", s->err.message);
    cr_assert_not(dtx_file_exists(file->temporary));
}

Test(create, what_stands_in_the_way_is_named)
{
    char name[400] = "";
    struct store s;

    cr_assert(store_begin(&s));
    cr_assert_eq(dtx_file_write_text(store_path(&s, "file"), "text", &s.err),
                 DTX_OK);
    fails_to_create(&s, "file/x.h5", "not a directory");
    fails_to_create(&s, "file/deeper/x.h5", "not a directory");
    memset(name, 'n', 300);
    fails_to_create(&s, name, "ame too long");
    mkdir(store_path(&s, "closed"), 0500);
    if (geteuid() != 0) {
        fails_to_create(&s, "closed/x.h5", "permission denied");
        fails_to_create(&s, "closed/d/x.h5", "permission denied");
    }
    store_finish(&s);
}

Test(create, a_folder_at_the_temporary_name_is_an_error)
{
    struct dtx_target_file *file;
    struct store s;

    cr_assert(store_begin(&s));
    file = simple_target(&s, "x.h5");
    mkdir(file->temporary, 0777);
    cr_assert_eq(create(&s, file), DTX_ERR_TARGET);
    cr_assert(strstr(s.err.message, "cannot replace") != NULL);
    store_finish(&s);
}

Test(create, a_dataset_in_the_place_of_a_group_is_an_error)
{
    struct dtx_target_file *file;
    struct store s;

    cr_assert(store_begin(&s));
    file = store_target(&s, "x.h5", 2);
    store_set(file, 0, "a", dtx_type_of(DTX_INT8), 2, shape);
    store_set(file, 1, "a/b", dtx_type_of(DTX_INT8), 2, shape);
    cr_assert_eq(create(&s, file), DTX_ERR_TARGET);
    cr_assert(strstr(s.err.message, "'a/b'") != NULL, "%s", s.err.message);
    cr_assert_not(dtx_file_exists(file->temporary));
    store_finish(&s);
}

/* Mounts a file system of 1 MiB in the folder; skips where it can't. */
static void
mount_small(struct store *s, const char *options)
{
    const char *path = store_path(s, "small");

    mkdir(path, 0777);
    if (mount("dtx", path, "tmpfs", 0, options) != 0) {
        store_finish(s);
        cr_skip_test("needs the right to mount");
    }
}

static void
unmount_small(struct store *s)
{
    s->storage->ops->destroy(s->storage);
    cr_assert_eq(umount(store_path(s, "small")), 0);
    cr_assert_eq(dtx_hdf5_storage_create(&s->storage, &s->err), DTX_OK);
    store_finish(s);
}

Test(create, a_full_disk_shows_before_anything_is_written)
{
    static const int64_t large[2] = {1000, 1000};
    struct dtx_target_file *file;
    struct store s;

    cr_assert(store_begin(&s));
    mount_small(&s, "size=1m");
    file = store_target(&s, "small/x.h5", 1);
    store_set(file, 0, "w", dtx_type_of(DTX_FLOAT32), 2, large);
    cr_assert_eq(create(&s, file), DTX_ERR_TARGET);
    cr_assert(strstr(s.err.message, "no space left on device") != NULL, "%s",
              s.err.message);
    cr_assert(strstr(s.err.hint, "3.8") != NULL, "%s", s.err.hint);
    cr_assert_not(dtx_file_exists(file->temporary));
    unmount_small(&s);
}

Test(create, files_that_dont_fit_together_are_known_by_their_holes)
{
    static const int64_t half[2] = {200, 800};
    uint64_t system, available, holes = 0;
    struct dtx_target_file *file;
    struct store s;
    int i;

    cr_assert(store_begin(&s));
    mount_small(&s, "size=1m");
    for (i = 0; i < 2; i++) {
        file = store_target(&s, i == 0 ? "small/x.h5" : "small/y.h5", 1);
        store_set(file, 0, "w", dtx_type_of(DTX_FLOAT32), 2, half);
        cr_assert_eq(create(&s, file), DTX_OK, "%s", s.err.message);
        holes += s.storage->ops->holes(s.storage, file->temporary);
    }
    cr_assert(
        s.storage->ops->space(s.storage, file->path, &system, &available));
    cr_expect_gt(holes, available);
    unmount_small(&s);
}

Test(create, metadata_that_doesnt_fit_is_an_error)
{
    enum { DATASETS = 5000 };
    static const int64_t one[1] = {1};
    struct dtx_target_file *file;
    struct store s;
    int i;

    cr_assert(store_begin(&s));
    mount_small(&s, "size=512k");
    file = store_target(&s, "small/x.h5", DATASETS);
    for (i = 0; i < DATASETS; i++) {
        store_set(file, i, dtx_arena_format(&s.arena, "tensor-%d", i),
                  dtx_type_of(DTX_INT8), 1, one);
    }
    cr_assert_eq(create(&s, file), DTX_ERR_TARGET);
    cr_assert(strstr(s.err.message, "no space left on device") != NULL, "%s",
              s.err.message);
    cr_assert_not(dtx_file_exists(file->temporary));
    unmount_small(&s);
}

Test(create, compressed_data_that_doesnt_fit_is_an_error)
{
    static const int64_t large[2] = {2000, 1000};
    static unsigned char noise[2000 * 1000];
    struct dtx_target_file *file;
    struct store s;
    enum dtx_status status;
    uint32_t state = 1;
    size_t i;

    for (i = 0; i < sizeof noise; i++) {
        state = state * 1664525 + 1013904223;
        noise[i] = (unsigned char)(state >> 24);
    }
    cr_assert(store_begin(&s));
    mount_small(&s, "size=1m");
    file = store_target(&s, "small/x.h5", 1);
    file->gzip = true;
    store_set(file, 0, "w", dtx_type_of(DTX_UINT8), 2, large);
    cr_assert_eq(create(&s, file), DTX_OK, "%s", s.err.message);
    status =
        s.storage->ops->write(s.storage, file, 0, zeros, large, noise, &s.err);
    if (status == DTX_OK) {
        status = s.storage->ops->close(s.storage, file, &s.err);
    }
    cr_assert_eq(status, DTX_ERR_TARGET);
    cr_assert(strstr(s.err.message, "no space left on device") != NULL, "%s",
              s.err.message);
    unmount_small(&s);
}

Test(create, a_read_only_file_system_is_an_error)
{
    struct store s;

    cr_assert(store_begin(&s));
    mount_small(&s, "size=1m,ro");
    fails_to_create(&s, "small/x.h5", "read-only file system");
    fails_to_create(&s, "small/d/x.h5", "read-only file system");
    unmount_small(&s);
}

Test(create, chunked_targets_are_written_through_hdf5)
{
    struct dtx_target_file *file;
    struct store s;
    float data[5000];
    float got[5000];
    int64_t chunks[2] = {30, 20};
    int64_t lo[2];
    int i;

    cr_assert(store_begin(&s));
    for (i = 0; i < 5000; i++) {
        data[i] = (float)i;
    }
    file = simple_target(&s, "x.h5");
    file->chunk_count = 2;
    file->chunks = chunks;
    file->gzip = true;
    cr_assert_eq(create(&s, file), DTX_OK, "%s", s.err.message);
    cr_assert_eq(file->datasets[0].offset, 0);
    for (lo[0] = 0, lo[1] = 0; lo[0] < 100; lo[0] += 10) {
        cr_assert_eq(s.storage->ops->write(s.storage, file, 0, lo,
                                           (int64_t[]){10, 50},
                                           data + lo[0] * 50, &s.err),
                     DTX_OK, "%s", s.err.message);
    }
    cr_assert_eq(s.storage->ops->close(s.storage, file, &s.err), DTX_OK);
    cr_assert_eq(store_scan(&s, file->temporary), DTX_OK);
    cr_assert_eq(store_find(&s, "w")->form, DTX_FORM_STORED);
    cr_assert_eq(store_read(&s, "w", NULL, NULL, got), DTX_OK);
    cr_assert_arr_eq(got, data, sizeof data);
    store_finish(&s);
}

Test(create, an_unfinished_target_is_no_source)
{
    struct dtx_target_file *file;
    struct store s;

    cr_assert(store_begin(&s));
    file = simple_target(&s, "x.h5");
    file->gzip = true;
    cr_assert_eq(create(&s, file), DTX_OK);
    cr_assert_eq(s.storage->ops->write(s.storage, file, 0, zeros,
                                       (int64_t[]){1, 1}, "1234", &s.err),
                 DTX_OK);
    s.storage->ops->remove(s.storage, file->temporary);
    cr_assert_not(s.storage->ops->exists(s.storage, file->temporary));
    store_finish(&s);
}
