#include <criterion/criterion.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store.h"

static void
write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "w");

    cr_assert_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

/* A file with dataset "w" [100] of int32, its value the index. */
static void
write_source(const char *path, hid_t creation)
{
    int32_t data[100];
    hsize_t count = 100;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t dataset = H5Dcreate2(file, "w", H5T_STD_I32LE, space, H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT);
    int i;

    for (i = 0; i < 100; i++) {
        data[i] = i;
    }
    H5Dwrite(dataset, H5T_STD_I32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fclose(file);
}

static void
refuses(struct store *s, const char *name, const char *words)
{
    const char *path = store_path(s, name);

    cr_assert_eq(store_scan(s, path), DTX_ERR_SOURCE, "%s", name);
    cr_assert(strstr(s->err.message, path) != NULL, "%s", s->err.message);
    cr_assert(strstr(s->err.message, words) != NULL, "%s", s->err.message);
}

Test(scan, offsets_are_from_the_start_of_the_file_also_after_a_user_block)
{
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    int32_t got[100];
    struct store s;

    cr_assert(store_begin(&s));
    H5Pset_userblock(creation, 4096);
    write_source(store_path(&s, "x.h5"), creation);
    cr_assert_eq(store_scan(&s, store_path(&s, "x.h5")), DTX_OK, "%s",
                 s.err.message);
    cr_assert_eq(store_find(&s, "w")->form, DTX_FORM_CONTIGUOUS);
    cr_assert_eq(store_read(&s, "w", NULL, NULL, got), DTX_OK);
    cr_assert_eq(got[99], 99);
    store_finish(&s);
}

Test(scan, what_is_no_hdf5_file_is_named_for_what_it_is)
{
    char zeros[3000] = {0};
    struct store s;

    cr_assert(store_begin(&s));
    refuses(&s, "missing.h5", "no such file or directory");
    mkdir(store_path(&s, "folder.h5"), 0777);
    refuses(&s, "folder.h5", "it is a folder");
    mkfifo(store_path(&s, "pipe.h5"), 0666);
    refuses(&s, "pipe.h5", "it is no regular file");
    write_bytes(store_path(&s, "empty.h5"), "", 0);
    refuses(&s, "empty.h5", "the file is empty");
    write_bytes(store_path(&s, "zeros.h5"), zeros, sizeof zeros);
    refuses(&s, "zeros.h5", "it is no HDF5 file");
    memcpy(zeros, "PK\003\004", 4);
    write_bytes(store_path(&s, "model.pt"), zeros, sizeof zeros);
    refuses(&s, "model.pt", "it is no HDF5 file");
    cr_assert(strstr(s.err.hint, "torch.save") != NULL);
    memcpy(zeros, "\211HDF\r\n\032\n", 8);
    write_bytes(store_path(&s, "signature.h5"), zeros, sizeof zeros);
    refuses(&s, "signature.h5", "cannot open");
    store_finish(&s);
}

Test(scan, a_file_without_permission_is_an_error)
{
    struct store s;

    cr_assert(store_begin(&s));
    write_source(store_path(&s, "x.h5"), H5P_DEFAULT);
    chmod(store_path(&s, "x.h5"), 0);
    if (geteuid() != 0) {
        refuses(&s, "x.h5", "permission denied");
    }
    store_finish(&s);
}

Test(scan, a_truncated_file_is_an_error_wherever_it_ends)
{
    struct store s;
    struct stat info;
    off_t bytes;

    cr_assert(store_begin(&s));
    write_source(store_path(&s, "x.h5"), H5P_DEFAULT);
    stat(store_path(&s, "x.h5"), &info);
    for (bytes = info.st_size - 1; bytes > 0; bytes -= 97) {
        cr_assert_eq(truncate(store_path(&s, "x.h5"), bytes), 0);
        refuses(&s, "x.h5", "cannot");
    }
    store_finish(&s);
}

/* The newest format says itself where the file ends; a file that was never
 * closed doesn't, so the dataset must be checked. */
Test(scan, data_past_the_end_of_the_file_is_an_error)
{
    hsize_t count = 1 << 20;
    struct store s;
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file;
    hid_t space;
    FILE *raw;

    cr_assert(store_begin(&s));
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    file =
        H5Fcreate(store_path(&s, "x.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    space = H5Screate_simple(1, &count, NULL);
    H5Dclose(H5Dcreate2(file, "w", H5T_STD_I32LE, space, H5P_DEFAULT,
                        properties, H5P_DEFAULT));
    H5Fclose(file);
    /* the end of file in the superblock, version 0 */
    cr_assert_eq(truncate(store_path(&s, "x.h5"), 100000), 0);
    raw = fopen(store_path(&s, "x.h5"), "r+");
    fseek(raw, 40, SEEK_SET);
    cr_assert_eq(fwrite(&(uint64_t){100000}, 8, 1, raw), 1);
    fclose(raw);
    cr_assert_eq(store_scan(&s, store_path(&s, "x.h5")), DTX_ERR_SOURCE);
    cr_assert(strstr(s.err.message, "truncated") != NULL, "%s", s.err.message);
    store_finish(&s);
}

Test(scan, a_file_that_its_writer_left_open_is_refused)
{
    struct store s;
    char command[256];
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file;

    cr_assert(store_begin(&s));
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    file =
        H5Fcreate(store_path(&s, "x.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    snprintf(command, sizeof command, "cp %s/x.h5 %s/y.h5", s.folder, s.folder);
    cr_assert_eq(system(command), 0);
    refuses(&s, "y.h5", "already open for write");
    H5Fclose(file);
    store_finish(&s);
}
