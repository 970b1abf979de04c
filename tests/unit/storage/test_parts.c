#include <criterion/criterion.h>
#include <hdf5.h>
#include <string.h>

#include "layout/shape.h"
#include "storage/hdf5/hdf5_box.h"
#include "store.h"
#include "support/random.h"
#include "util/alloc.h"

enum { ELEMENTS = 1 << 20 };

/* A target of one compressed dataset "x" of given chunks. */
static struct dtx_target_file *
make_target(struct store *s, int ndim, const int64_t *shape,
            const int64_t *chunk)
{
    struct dtx_target_file *file = store_target(s, "x.h5", 1);

    store_set(file, 0, "x", dtx_type_of(DTX_UINT32), ndim, shape);
    file->chunk_count = ndim;
    file->chunks = chunk;
    file->gzip = true;
    cr_assert_eq(s->storage->ops->create(s->storage, file, &s->err), DTX_OK,
                 "%s", s->err.message);
    return file;
}

/* Sets the elements of a box to their numbers, or checks that they are. */
static void
visit(int ndim, const int64_t *shape, const int64_t *lo, const int64_t *len,
      uint32_t *values, bool sets)
{
    int64_t count = dtx_shape_count(ndim, len);
    int64_t i;
    int d;

    for (i = 0; i < count; i++) {
        int64_t rest = i, stride = 1, number = 0;

        for (d = ndim - 1; d >= 0; d--) {
            number += (lo[d] + rest % len[d]) * stride;
            stride *= shape[d];
            rest /= len[d];
        }
        if (sets) {
            values[i] = (uint32_t)number;
        } else {
            cr_assert_eq(values[i], (uint32_t)number);
        }
    }
}

/* Writes all, in two boxes, whose border may cut chunks. */
static void
write_all(struct store *s, const struct dtx_target_file *file, int64_t border,
          uint32_t *values)
{
    const struct dtx_target_dataset *d = &file->datasets[0];
    int64_t lo[DTX_NDIM_MAX] = {0};
    int64_t len[DTX_NDIM_MAX];
    int half;

    memcpy(len, d->shape, (size_t)d->ndim * sizeof len[0]);
    for (half = 0; half < 2; half++) {
        lo[0] = half == 0 ? 0 : border;
        len[0] = half == 0 ? border : d->shape[0] - border;
        visit(d->ndim, d->shape, lo, len, values, true);
        cr_assert_eq(s->storage->ops->write(s->storage, file, 0, lo, len,
                                            values, &s->err),
                     DTX_OK, "%s", s->err.message);
    }
    cr_assert_eq(s->storage->ops->close(s->storage, file, &s->err), DTX_OK);
}

static void
random_box(struct random *random, int ndim, const int64_t *shape, int64_t *lo,
           int64_t *len)
{
    int d;

    for (d = 0; d < ndim; d++) {
        len[d] = random_chance(random, 40)
                     ? shape[d]
                     : random_pick(random, 1, (int)shape[d]);
        lo[d] = random_pick(random, 0, (int)(shape[d] - len[d]));
    }
}

Test(parts, boxes_of_thousands_of_chunks_are_what_was_written, .timeout = 50)
{
    uint32_t *values = dtx_alloc(ELEMENTS, sizeof *values);
    struct random random = random_begin();
    int64_t shape[4], chunk[4], lo[4], len[4];
    int trial, box, d;

    for (trial = 0; trial < 6; trial++) {
        int ndim = random_pick(&random, 1, 4);
        int most = (int[]){0, 20000, 170, 30, 14}[ndim];
        struct dtx_target_file *file;
        struct store s;

        cr_assert(store_begin(&s));
        for (d = 0; d < ndim; d++) {
            shape[d] = random_pick(&random, most / 2, most);
            chunk[d] = random_pick(&random, 1, 3);
        }
        file = make_target(&s, ndim, shape, chunk);
        write_all(&s, file, random_pick(&random, 0, (int)shape[0]), values);
        cr_assert_eq(store_scan(&s, file->temporary), DTX_OK);
        for (box = 0; box < 12; box++) {
            random_box(&random, ndim, shape, lo, len);
            cr_assert_eq(store_read(&s, "x", lo, len, values), DTX_OK, "%s",
                         s.err.message);
            visit(ndim, shape, lo, len, values, false);
        }
        store_finish(&s);
    }
    dtx_free(values);
}

/* What a box is moved in. */
struct seen {
    const int64_t *chunk;
    hsize_t elements;
    int parts;
};

static herr_t
see_part(const struct dtx_hdf5_dataset *open, hid_t memory_space,
         hid_t file_space, void *context)
{
    struct seen *seen = context;
    hsize_t begin[2], last[2];
    hsize_t chunks = 1;
    int d;

    (void)open;
    cr_assert_geq(H5Sget_select_bounds(file_space, begin, last), 0);
    for (d = 0; d < 2; d++) {
        hsize_t chunk = (hsize_t)seen->chunk[d];

        chunks *= last[d] / chunk - begin[d] / chunk + 1;
        cr_assert(begin[d] % chunk == 0 || begin[d] == 1, "cut in a chunk");
    }
    cr_assert_leq(chunks, DTX_HDF5_CHUNKS_MOST);
    cr_assert_eq(H5Sget_select_npoints(memory_space),
                 H5Sget_select_npoints(file_space));
    seen->elements += (hsize_t)H5Sget_select_npoints(file_space);
    seen->parts++;
    return 0;
}

/* Moves all but the first row and column of "x" [300, 200]. */
static int
count_parts(const int64_t *chunk)
{
    const int64_t shape[] = {300, 200};
    const struct dtx_hdf5_box box = {2, shape, (int64_t[]){1, 1},
                                     (int64_t[]){299, 199}, sizeof(uint32_t)};
    struct seen seen = {.chunk = chunk};
    struct dtx_hdf5_dataset open = {.chunk_ndim = 2};
    struct store s;
    hid_t file;

    cr_assert(store_begin(&s));
    make_target(&s, 2, shape, chunk);
    file = H5Fopen(store_path(&s, "x.h5.tmp"), H5F_ACC_RDONLY, H5P_DEFAULT);
    open.id = H5Dopen2(file, "x", H5P_DEFAULT);
    open.chunk[0] = (hsize_t)chunk[0];
    open.chunk[1] = (hsize_t)chunk[1];
    cr_assert_geq(dtx_hdf5_move_parts(&open, &box, see_part, &seen), 0);
    cr_assert_eq(seen.elements, 299 * 199);
    H5Dclose(open.id);
    H5Fclose(file);
    store_finish(&s);
    return seen.parts;
}

/* HDF5 has several KiB of each chunk that it moves, however small. */
Test(parts, a_part_has_few_chunks_and_is_cut_between_them)
{
    cr_assert_eq(count_parts((int64_t[]){1, 1}), 60); /* 5 rows each */
    cr_assert_eq(count_parts((int64_t[]){7, 2}), 5);  /* 10 rows of chunks */
    cr_assert_eq(count_parts((int64_t[]){300, 1}), 1);
    cr_assert_eq(count_parts((int64_t[]){64, 64}), 1);
}
