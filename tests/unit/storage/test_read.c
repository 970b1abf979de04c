#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout/shape.h"
#include "storage/fd_cache.h"
#include "storage/files.h"
#include "store.h"
#include "support/random.h"
#include "util/alloc.h"

enum { NDIM = 3, COUNT = 20 * 30 * 40 };
static const int64_t shape[NDIM] = {20, 30, 40};

/* Datasets of the same values, stored in several ways. */
static void
write_source(const char *path)
{
    static const char *const names[] = {"contiguous", "chunked", "gzip",
                                        "shuffle", "checksum"};
    static uint32_t data[COUNT];
    hsize_t dims[NDIM] = {20, 30, 40};
    hsize_t chunk[NDIM] = {7, 8, 9};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(NDIM, dims, NULL);
    int i;

    for (i = 0; i < COUNT; i++) {
        data[i] = (uint32_t)i;
    }
    for (i = 0; i < 5; i++) {
        hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        hid_t dataset;

        if (i > 0) {
            H5Pset_chunk(properties, NDIM, chunk);
        }
        if (i == 3) {
            H5Pset_shuffle(properties);
        }
        if (i >= 2) {
            H5Pset_deflate(properties, 1);
        }
        if (i == 4) {
            H5Pset_fletcher32(properties);
        }
        dataset = H5Dcreate2(file, names[i], H5T_STD_U32LE, space, H5P_DEFAULT,
                             properties, H5P_DEFAULT);
        H5Dwrite(dataset, H5T_STD_U32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(dataset);
        H5Pclose(properties);
    }
    H5Sclose(space);
    H5Fclose(file);
}

static void
expect_box(const uint32_t *got, const int64_t *lo, const int64_t *len)
{
    int64_t i;
    int64_t j;
    int64_t k;

    for (i = lo[0]; i < lo[0] + len[0]; i++) {
        for (j = lo[1]; j < lo[1] + len[1]; j++) {
            for (k = lo[2]; k < lo[2] + len[2]; k++) {
                cr_assert_eq(*got++, (i * 30 + j) * 40 + k);
            }
        }
    }
}

Test(read, any_box_of_any_storage_is_what_was_written)
{
    static const char *const names[] = {"contiguous", "chunked", "gzip",
                                        "shuffle", "checksum"};
    static uint32_t buffer[COUNT];
    struct random random = random_begin();
    struct store s;
    int64_t lo[NDIM];
    int64_t len[NDIM];
    int trial;
    int d;

    cr_assert(store_begin(&s));
    write_source(store_path(&s, "x.h5"));
    cr_assert_eq(store_scan(&s, store_path(&s, "x.h5")), DTX_OK);
    for (trial = 0; trial < 1000; trial++) {
        for (d = 0; d < NDIM; d++) {
            len[d] = (int64_t)random_below(&random, (uint64_t)shape[d] + 1);
            len[d] = random_below(&random, 3) == 0 ? shape[d] : len[d];
            lo[d] = (int64_t)random_below(&random,
                                          (uint64_t)(shape[d] - len[d]) + 1);
        }
        cr_assert_eq(store_read(&s, names[trial % 5], lo, len, buffer), DTX_OK,
                     "%s", s.err.message);
        expect_box(buffer, lo, len);
    }
    store_finish(&s);
}

/* Short runs are read together with the gaps between them. */
Test(read, narrow_columns_of_a_large_dataset_are_what_was_written)
{
    enum { ROWS = 100000, COLUMNS = 24, WIDTH = 5 };
    uint16_t *data = dtx_alloc(ROWS * COLUMNS, sizeof *data);
    hsize_t dims[2] = {ROWS, COLUMNS};
    struct store s;
    hid_t file;
    hid_t dataset;
    int i;

    for (i = 0; i < ROWS * COLUMNS; i++) {
        data[i] = (uint16_t)(i * 7);
    }
    cr_assert(store_begin(&s));
    file = H5Fcreate(store_path(&s, "x.h5"), H5F_ACC_TRUNC, H5P_DEFAULT,
                     H5P_DEFAULT);
    dataset =
        H5Dcreate2(file, "x", H5T_STD_U16LE, H5Screate_simple(2, dims, NULL),
                   H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_STD_U16LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(dataset);
    H5Fclose(file);
    cr_assert_eq(store_scan(&s, store_path(&s, "x.h5")), DTX_OK);
    cr_assert_eq(store_read(&s, "x", (int64_t[]){1, COLUMNS - WIDTH},
                            (int64_t[]){ROWS - 1, WIDTH}, data),
                 DTX_OK);
    for (i = 0; i < (ROWS - 1) * WIDTH; i++) {
        int at = (i / WIDTH + 1) * COLUMNS + COLUMNS - WIDTH + i % WIDTH;

        cr_assert_eq(data[i], (uint16_t)(at * 7));
    }
    dtx_free(data);
    store_finish(&s);
}

Test(read, windows_beyond_two_to_the_31_elements_are_read)
{
    enum { WINDOW = 4096 };
    static const int64_t count = ((int64_t)1 << 33) + 16;
    static unsigned char data[WINDOW];
    static unsigned char got[WINDOW];
    int64_t places[3] = {((int64_t)1 << 31) - WINDOW / 2,
                         ((int64_t)1 << 32) - WINDOW / 2, count - WINDOW};
    hsize_t dim = (hsize_t)count;
    struct store s;
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t file;
    hid_t dataset;
    uint64_t offset;
    int fd;
    int i;

    cr_assert(store_begin(&s));
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
    file = H5Fcreate(store_path(&s, "x.h5"), H5F_ACC_TRUNC, H5P_DEFAULT,
                     H5P_DEFAULT);
    dataset =
        H5Dcreate2(file, "x", H5T_STD_U8LE, H5Screate_simple(1, &dim, NULL),
                   H5P_DEFAULT, properties, H5P_DEFAULT);
    offset = H5Dget_offset(dataset);
    H5Dclose(dataset);
    H5Fclose(file);
    fd = open(store_path(&s, "x.h5"), O_RDWR);
    for (i = 0; i < WINDOW; i++) {
        data[i] = (unsigned char)(i * 11 + 1);
    }
    for (i = 0; i < 3; i++) {
        cr_assert_eq(
            dtx_file_write_at(fd, data, WINDOW, offset + (uint64_t)places[i]),
            0);
    }
    close(fd);
    cr_assert_eq(store_scan(&s, store_path(&s, "x.h5")), DTX_OK, "%s",
                 s.err.message);
    for (i = 0; i < 3; i++) {
        cr_assert_eq(store_read(&s, "x", &places[i], (int64_t[]){WINDOW}, got),
                     DTX_OK);
        cr_assert_arr_eq(got, data, WINDOW);
    }
    store_finish(&s);
}

Test(read, a_file_that_shrinks_after_the_scan_is_an_error)
{
    static uint32_t buffer[COUNT];
    struct store s;

    cr_assert(store_begin(&s));
    write_source(store_path(&s, "x.h5"));
    cr_assert_eq(store_scan(&s, store_path(&s, "x.h5")), DTX_OK);
    cr_assert_eq(truncate(store_path(&s, "x.h5"), 5000), 0);
    cr_assert_eq(store_read(&s, "contiguous", NULL, NULL, buffer),
                 DTX_ERR_SOURCE);
    cr_assert(strstr(s.err.message, "ends at byte 5000") != NULL, "%s",
              s.err.message);
    store_finish(&s);
}

Test(read, a_chunk_that_fails_its_checksum_is_an_error)
{
    static uint32_t buffer[COUNT];
    static unsigned char bytes[COUNT * 20];
    struct store s;
    FILE *file;
    size_t count;

    cr_assert(store_begin(&s));
    write_source(store_path(&s, "x.h5"));
    cr_assert_eq(store_scan(&s, store_path(&s, "x.h5")), DTX_OK);
    /* all from the last third on is chunks of "checksum" or metadata */
    file = fopen(store_path(&s, "x.h5"), "r+");
    count = fread(bytes, 1, sizeof bytes, file);
    bytes[count - 5000] ^= 1;
    rewind(file);
    cr_assert_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
    cr_assert_eq(store_read(&s, "checksum", NULL, NULL, buffer),
                 DTX_ERR_SOURCE);
    cr_assert(strstr(s.err.message, "'checksum'") != NULL, "%s", s.err.message);
    store_finish(&s);
}

static int
open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

Test(fd_cache, many_files_are_read_with_few_descriptors)
{
    enum { FILES = 3 * DTX_FD_CACHE_SIZE };
    struct dtx_fd_cache cache;
    const char *paths[FILES];
    struct store s;
    uint64_t bytes;
    int before;
    int i;
    int fd;

    cr_assert(store_begin(&s));
    for (i = 0; i < FILES; i++) {
        paths[i] = dtx_arena_format(&s.arena, "%s/%d", s.folder, i);
        cr_assert_eq(dtx_file_write_text(paths[i], paths[i], &s.err), DTX_OK);
    }
    dtx_fd_cache_init(&cache, DTX_ERR_TARGET, dtx_file_open_target);
    before = open_descriptors();
    for (i = 0; i < 2 * FILES; i++) {
        const char *path = paths[i % FILES];
        char text[128] = "";

        cr_assert_eq(dtx_fd_acquire(&cache, path, path, &fd, &s.err), DTX_OK);
        bytes = strlen(path);
        cr_assert_eq(dtx_file_read_at(fd, text, bytes, 0), 0);
        cr_assert_eq(dtx_file_read_at(fd, text, bytes, 1), DTX_FILE_ENDS);
        dtx_fd_release(&cache, path);
    }
    cr_assert_leq(open_descriptors() - before, DTX_FD_CACHE_SIZE);
    dtx_fd_cache_finish(&cache);
    cr_assert_eq(open_descriptors(), before);
    store_finish(&s);
}

Test(fd_cache, what_a_file_says_when_it_makes_room_is_heard)
{
    struct dtx_fd_cache cache;
    const char *paths[DTX_FD_CACHE_SIZE + 1];
    struct store s;
    int first = -1, fd, i;

    cr_assert(store_begin(&s));
    dtx_fd_cache_init(&cache, DTX_ERR_TARGET, dtx_file_open_target);
    for (i = 0; i <= DTX_FD_CACHE_SIZE; i++) {
        paths[i] = dtx_arena_format(&s.arena, "%s/%d", s.folder, i);
        cr_assert_eq(dtx_file_write_text(paths[i], "x", &s.err), DTX_OK);
    }
    for (i = 0; i < DTX_FD_CACHE_SIZE; i++) {
        cr_assert_eq(dtx_fd_acquire(&cache, paths[i], paths[i], &fd, &s.err),
                     DTX_OK);
        first = i == 0 ? fd : first;
        dtx_fd_release(&cache, paths[i]);
    }
    close(first); /* so that closing it fails, as it can on a network */
    cr_assert_eq(dtx_fd_acquire(&cache, paths[i], paths[i], &fd, &s.err),
                 DTX_ERR_TARGET);
    cr_assert_not_null(strstr(s.err.message, paths[0]), "%s", s.err.message);
    dtx_fd_cache_finish(&cache);
    store_finish(&s);
}
