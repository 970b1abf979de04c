#include <criterion/criterion.h>
#include <string.h>

#include "storage/row_walk.h"
#include "support/random.h"

enum { BYTES_MAX = 4096 };

/* Marks the bytes of a box, element by element. */
static void
mark(int ndim, const int64_t *shape, const int64_t *lo, const int64_t *len,
     int size, int d, int64_t index, char *marks)
{
    int64_t i;

    if (d == ndim) {
        memset(marks + index * size, 1, (size_t)size);
        return;
    }
    for (i = lo[d]; i < lo[d] + len[d]; i++) {
        mark(ndim, shape, lo, len, size, d + 1, index * shape[d] + i, marks);
    }
}

/* Marks what the walk goes over, which must be in order and never twice. */
static int64_t
mark_walk(struct dtx_row_walk *walk, char *marks)
{
    uint64_t offset;
    uint64_t end = 0;
    int64_t runs = 0;
    int64_t i;

    while (dtx_row_walk_next(walk, &offset)) {
        for (i = 0; i < walk->run_count; i++, runs++) {
            cr_assert(offset > end || runs == 0, "runs that touch are one");
            memset(marks + offset, 1, walk->run_bytes);
            end = offset + walk->run_bytes;
            offset += walk->stride_bytes;
        }
    }
    return runs;
}

Test(row_walk, goes_over_the_bytes_of_a_box_in_order)
{
    struct random random = random_begin();
    char wanted[BYTES_MAX];
    char got[BYTES_MAX];
    struct dtx_row_walk walk;
    int64_t shape[5];
    int64_t lo[5];
    int64_t len[5];
    int trial;
    int d;

    for (trial = 0; trial < 5000; trial++) {
        int ndim = (int)random_below(&random, 6);
        int size = 1 << random_below(&random, 4);

        for (d = 0; d < ndim; d++) {
            shape[d] = 1 + (int64_t)random_below(&random, 3);
            len[d] = (int64_t)random_below(&random, (uint64_t)shape[d] + 1);
            len[d] = random_below(&random, 2) ? shape[d] : len[d];
            lo[d] = (int64_t)random_below(&random,
                                          (uint64_t)(shape[d] - len[d]) + 1);
        }
        memset(wanted, 0, sizeof wanted);
        memset(got, 0, sizeof got);
        mark(ndim, shape, lo, len, size, 0, 0, wanted);
        dtx_row_walk_init(&walk, ndim, shape, lo, len, (size_t)size);
        mark_walk(&walk, got);
        cr_assert_arr_eq(wanted, got, BYTES_MAX);
    }
}

Test(row_walk, whole_rows_are_one_run)
{
    struct dtx_row_walk walk;

    dtx_row_walk_init(&walk, 3, (int64_t[]){10, 4, 8}, (int64_t[]){2, 0, 0},
                      (int64_t[]){5, 4, 8}, 2);
    cr_assert_eq(walk.run_bytes, 5 * 4 * 8 * 2);
    cr_assert_eq(walk.run_count, 1);
    cr_assert_eq(walk.outer_count, 0);
    cr_assert_eq(walk.offset, 2 * 4 * 8 * 2);
}

Test(row_walk, columns_over_two_dims_are_one_row_of_runs)
{
    struct dtx_row_walk walk;

    dtx_row_walk_init(&walk, 3, (int64_t[]){10, 4, 8}, (int64_t[]){0, 0, 4},
                      (int64_t[]){10, 4, 2}, 1);
    cr_assert_eq(walk.run_bytes, 2);
    cr_assert_eq(walk.run_count, 40);
    cr_assert_eq(walk.stride_bytes, 8);
    cr_assert_eq(walk.outer_count, 0);
}

Test(row_walk, offsets_beyond_two_to_the_31_are_right)
{
    struct dtx_row_walk walk;
    uint64_t offset;

    dtx_row_walk_init(&walk, 2, (int64_t[]){1 << 20, 1 << 20},
                      (int64_t[]){(1 << 20) - 1, 7}, (int64_t[]){1, 5}, 8);
    cr_assert(dtx_row_walk_next(&walk, &offset));
    cr_assert_eq(offset, ((((uint64_t)1 << 20) - 1) << 20) * 8 + 56);
    cr_assert_not(dtx_row_walk_next(&walk, &offset));
}
