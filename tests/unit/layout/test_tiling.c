#include <criterion/criterion.h>
#include <stdio.h>
#include <time.h>

#include "tiling_claims.h"
#include "util/alloc.h"

/* The indices that a position holds of dim 0, as text: "0-2 8-10". */
static const char *
held(const struct fixture *f, const struct dtx_tiling *tiling, int position)
{
    static char text[256];
    const struct dtx_tiling_dim *dim = &tiling->dims[0];
    int piece = dtx_tiling_piece(tiling, &f->layout.mesh, 0, position);
    size_t length = 0;

    text[0] = '\0';
    for (int i = dim->piece_first[piece]; i < dim->piece_first[piece + 1];
         i++) {
        const struct dtx_tile *tile = &dim->tiles[dim->piece_tiles[i]];

        length += (size_t)snprintf(text + length, sizeof(text) - length,
                                   "%s%lld-%lld", length > 0 ? " " : "",
                                   (long long)tile->lo, (long long)tile->hi);
    }
    return text;
}

Test(tiling, axes_act_in_the_order_as_written)
{
    struct fixture f;
    struct dtx_tiling *tiling;
    static const char *const first_b[] = {"0-2", "4-6", "2-4", "6-8"};
    static const char *const first_a[] = {"0-2", "2-4", "4-6", "6-8"};

    fixture_begin(&f, 2, (int[]){2, 2});
    fixture_shard(&f, 1, 0);
    fixture_shard(&f, 0, 0);
    tiling = fixture_tile(&f, 2, (int64_t[]){8, 4});
    for (int position = 0; position < 4; position++) {
        cr_assert_str_eq(held(&f, tiling, position), first_b[position]);
    }
    f.placements[0].axis = 0;
    f.placements[1].axis = 1;
    tiling = fixture_tile(&f, 2, (int64_t[]){8, 4});
    for (int position = 0; position < 4; position++) {
        cr_assert_str_eq(held(&f, tiling, position), first_a[position]);
    }
    fixture_finish(&f);
}

Test(tiling, gate_and_up_are_cut_on_their_own)
{
    struct fixture f;
    struct dtx_tiling *tiling;
    int64_t segments[] = {4, 4};

    fixture_begin(&f, 1, (int[]){2});
    fixture_shard(&f, 0, 0)->keys[DTX_SHARD_SEGMENTS] =
        (struct dtx_shard_value){2, segments};
    tiling = fixture_tile(&f, 2, (int64_t[]){8, 4});
    cr_assert_str_eq(held(&f, tiling, 0), "0-2 4-6");
    cr_assert_str_eq(held(&f, tiling, 1), "2-4 6-8");
    fixture_finish(&f);
}

Test(tiling, groups_stay_whole_and_late_coordinates_can_be_empty)
{
    struct fixture f;
    struct dtx_tiling *tiling;

    fixture_begin(&f, 1, (int[]){3});
    fixture_shard(&f, 0, 0)->keys[DTX_SHARD_BLOCK].number = 12;
    tiling = fixture_tile(&f, 2, (int64_t[]){24, 4});
    cr_assert_str_eq(held(&f, tiling, 0), "0-12");
    cr_assert_str_eq(held(&f, tiling, 1), "12-24");
    cr_assert_str_eq(held(&f, tiling, 2), "");
    cr_assert_eq(tiling->dims[0].extents[2], 0);
    fixture_finish(&f);
}

Test(tiling, padding_is_stored_at_the_end_and_in_no_tile)
{
    struct fixture f;
    struct dtx_tiling *tiling;

    fixture_begin(&f, 1, (int[]){2});
    fixture_shard(&f, 0, 0);
    fixture_pad(&f, 0, -1, 256);
    tiling = fixture_tile(&f, 2, (int64_t[]){151936, 4});
    cr_assert_eq(tiling->dims[0].extents[0], 76032);
    cr_assert_eq(tiling->dims[0].extents[1], 76032);
    cr_assert_str_eq(held(&f, tiling, 1), "76032-151936");
    cr_assert_eq(tiling->dims[0].stored, 152064);
    fixture_finish(&f);
}

Test(tiling, split_pad_gives_all_axes_of_a_dim_equal_pieces)
{
    struct fixture f;
    struct dtx_tiling *tiling;

    fixture_begin(&f, 2, (int[]){12, 2});
    f.rule.split = DTX_SPLIT_PAD;
    fixture_shard(&f, 0, 0);
    fixture_shard(&f, 1, 0);
    tiling = fixture_tile(&f, 1, (int64_t[]){1024});
    for (int piece = 0; piece < 24; piece++) {
        cr_assert_eq(tiling->dims[0].extents[piece], 43);
    }
    cr_assert_str_eq(held(&f, tiling, 23), "989-1024");
    cr_assert_eq(tiling->dims[0].stored, 24 * 43);
    fixture_finish(&f);
}

Test(tiling, partial_axes_keep_their_order_and_cut_nothing)
{
    struct fixture f;
    struct dtx_tiling *tiling;

    fixture_begin(&f, 3, (int[]){2, 3, 2});
    fixture_shard(&f, 2, 0)->kind = DTX_PARTIAL;
    f.placements[0].op = DTX_MAX;
    fixture_shard(&f, 1, 0);
    fixture_shard(&f, 0, 0)->kind = DTX_PARTIAL;
    tiling = fixture_tile(&f, 1, (int64_t[]){6});
    cr_assert_eq(tiling->partial_count, 2);
    cr_assert_eq(tiling->partials[0].axis, 2);
    cr_assert_eq(tiling->partials[0].op, DTX_MAX);
    cr_assert_eq(tiling->partials[1].axis, 0);
    cr_assert_eq(tiling->dims[0].piece_count, 3);
    fixture_finish(&f);
}

Test(tiling, a_scalar_needs_no_dims)
{
    struct fixture f;
    struct dtx_tiling *tiling;

    fixture_begin(&f, 1, (int[]){2});
    tiling = fixture_tile(&f, 0, NULL);
    cr_assert_not_null(tiling);
    cr_assert_eq(tiling->ndim, 0);
    fixture_finish(&f);
}

Test(tiling, axes_of_a_dim_are_known_before_the_shape)
{
    struct fixture f;
    int axes[DTX_AXIS_MAX];

    fixture_begin(&f, 3, (int[]){2, 2, 2});
    fixture_shard(&f, 2, -1);
    fixture_shard(&f, 0, 0);
    fixture_shard(&f, 1, 1);
    cr_assert_eq(dtx_rule_axes(&f.rule, 2, 1, axes), 2);
    cr_assert_eq(axes[0], 2);
    cr_assert_eq(axes[1], 1);
    cr_assert_eq(dtx_rule_axes(&f.rule, 2, 0, axes), 1);
    cr_assert_eq(dtx_rule_axes(&f.rule, 3, 2, axes), 1);
    fixture_finish(&f);
}

static double
seconds_since(struct timespec begin)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin.tv_sec) +
           (double)(now.tv_nsec - begin.tv_nsec) * 1e-9;
}

/* Bounds leave room for slow and busy machines: the times are 20 to 100 times
 * shorter. */
Test(tiling, cost_does_not_grow_with_extents)
{
    struct fixture f;
    struct timespec begin;
    struct dtx_tiling *tiling;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    fixture_begin(&f, 1, (int[]){1024});
    fixture_shard(&f, 0, 0);
    tiling = fixture_tile(&f, 2, (int64_t[]){1048576, 1024});
    cr_assert_eq(tiling->dims[0].tile_count, 1024);
    tiling = fixture_tile(&f, 2, (int64_t[]){INT64_C(1000000000000), 1024});
    cr_assert_null(tiling_breaks(&tiling->dims[0]));
    tiling = fixture_tile(&f, 1, (int64_t[]){INT64_MAX});
    cr_assert_null(tiling_breaks(&tiling->dims[0]));
    f.rule.split = DTX_SPLIT_BALANCED;
    tiling = fixture_tile(&f, 1, (int64_t[]){INT64_MAX});
    cr_assert_null(tiling_breaks(&tiling->dims[0]));
    cr_assert_lt(seconds_since(begin), 0.05);
    fixture_finish(&f);
}

Test(tiling, cost_is_the_number_of_tiles)
{
    struct fixture f;
    struct timespec begin;
    struct dtx_tiling *tiling;
    int64_t segments[] = {50000, 30000, 30000};

    fixture_begin(&f, 2, (int[]){2048, 8});
    fixture_shard(&f, 1, 0)->keys[DTX_SHARD_SEGMENTS] =
        (struct dtx_shard_value){3, segments};
    fixture_shard(&f, 0, 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    tiling = fixture_tile(&f, 1, (int64_t[]){110000});
    cr_assert_lt(seconds_since(begin), 0.1);
    cr_assert_eq(tiling->dims[0].piece_count, 16384);
    cr_assert_lt(tiling->dims[0].tile_count, 16384 + 8 * 3);
    cr_assert_null(tiling_breaks(&tiling->dims[0]));
    fixture_finish(&f);
}

Test(tiling, chunks_that_are_all_one_unit_take_no_time)
{
    struct fixture f;
    struct timespec begin;
    struct dtx_tiling *tiling;

    fixture_begin(&f, 1, (int[]){4});
    fixture_shard(&f, 0, 0)->keys[DTX_SHARD_FACTOR].number =
        INT64_C(1000000000000);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    tiling = fixture_tile(&f, 1, (int64_t[]){INT64_C(1000000000000)});
    cr_assert_lt(seconds_since(begin), 0.05);
    cr_assert_eq(tiling->dims[0].tile_count, 1);
    cr_assert_eq(tiling->dims[0].extents[0], INT64_C(1000000000000));
    fixture_finish(&f);
}

Test(tiling, every_allocation_can_fail)
{
    int64_t segments[] = {10, 7};
    int64_t sizes[] = {3, 8, 6};
    bool is_done = false;

    for (int64_t k = 0; !is_done; k++) {
        struct fixture f;

        fixture_begin(&f, 2, (int[]){3, 2});
        fixture_shard(&f, 0, 0)->keys[DTX_SHARD_SIZES] =
            (struct dtx_shard_value){3, sizes};
        fixture_shard(&f, 1, 0)->keys[DTX_SHARD_SEGMENTS] =
            (struct dtx_shard_value){2, segments};
        dtx_alloc_fail_after(k);
        is_done = fixture_tile(&f, 2, (int64_t[]){17, 3}) != NULL;
        dtx_alloc_fail_after(-1);
        cr_assert_eq(dtx_diagnostics_error_count(f.list), 0);
        fixture_finish(&f);
        cr_assert_lt(k, 100);
    }
}

Test(tiling, mistakes_are_counted_where_memory_ends_too)
{
    for (int64_t k = 0; k < 40; k++) {
        struct fixture f;

        fixture_begin(&f, 2, (int[]){4, 2});
        f.rule.split = DTX_SPLIT_EVEN;
        fixture_shard(&f, 0, 0);
        dtx_alloc_fail_after(k);
        cr_assert_null(fixture_tile(&f, 1, (int64_t[]){5}));
        dtx_alloc_fail_after(-1);
        fixture_finish(&f);
    }
}
