#include <criterion/criterion.h>

#include "tools/checkpoint/walk.h"

/* The boxes of a walk follow each other without a gap in row-major order. */
static void
assert_covers(int ndim, const int64_t *shape, int64_t most)
{
    struct walk walk;
    int64_t at = 0;
    int64_t count = 1;

    for (int d = 0; d < ndim; d++) {
        count *= shape[d];
    }
    walk_begin(&walk, ndim, shape, most);
    while (walk_next(&walk)) {
        int64_t begin = 0;
        int64_t elements = 1;

        for (int d = 0; d < ndim; d++) {
            begin = begin * shape[d] + walk.lo[d];
            elements *= walk.len[d];
        }
        cr_assert_eq(begin, at);
        cr_assert_eq(walk.count, elements);
        cr_assert_leq(elements, most);
        cr_assert_gt(elements, 0);
        at += elements;
    }
    cr_assert_eq(at, count);
}

Test(walk, boxes_of_any_size_cover_an_array_in_order)
{
    int64_t shape[3];

    for (shape[0] = 1; shape[0] <= 4; shape[0]++) {
        for (shape[1] = 1; shape[1] <= 4; shape[1]++) {
            for (shape[2] = 1; shape[2] <= 4; shape[2]++) {
                for (int64_t most = 1; most <= 65; most++) {
                    assert_covers(3, shape, most);
                }
            }
        }
    }
}

Test(walk, a_scalar_is_one_box)
{
    assert_covers(0, NULL, 1);
    assert_covers(0, NULL, 1000);
}

Test(walk, a_vector_is_cut_where_it_must_be)
{
    assert_covers(1, (int64_t[]){1}, 1);
    assert_covers(1, (int64_t[]){10}, 3);
    assert_covers(1, (int64_t[]){10}, 10);
}

Test(walk, boxes_are_as_large_as_whole_rows_permit)
{
    struct walk walk;
    int boxes = 0;

    walk_begin(&walk, 2, (int64_t[]){10, 8}, 33);
    while (walk_next(&walk)) {
        boxes++;
    }
    cr_assert_eq(boxes, 3); /* of 4, 4 and 2 rows */
}
