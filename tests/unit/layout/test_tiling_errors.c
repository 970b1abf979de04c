#include <criterion/criterion.h>

#include "fixture.h"

static const int sizes42[] = {4, 2};

Test(tiling_errors, even_says_what_the_pieces_would_be)
{
    struct fixture f;

    fixture_begin(&f, 2, sizes42);
    f.rule.split = DTX_SPLIT_EVEN;
    fixture_shard(&f, 0, 0);
    cr_assert(fixture_refuses(
        &f, 1, (int64_t[]){5}, "E108",
        "x: dimension 0 has 5 elements, axis a has 4 coordinates, pieces "
        "would be 2,2,1,0"));
    fixture_finish(&f);
}

Test(tiling_errors, even_points_at_the_line_that_asks_for_it)
{
    struct fixture f;

    fixture_begin(&f, 2, sizes42);
    f.rule.split = DTX_SPLIT_EVEN;
    fixture_shard(&f, 0, 0);
    cr_assert(
        fixture_refuses(&f, 1, (int64_t[]){5}, "x.yaml:1:8", "split: even"));
    fixture_finish(&f);
}

Test(tiling_errors, even_names_the_axis_that_cuts_what_another_left)
{
    struct fixture f;

    fixture_begin(&f, 2, sizes42);
    f.rule.split = DTX_SPLIT_EVEN;
    fixture_shard(&f, 0, 0);
    fixture_shard(&f, 1, 0);
    cr_assert(fixture_refuses(
        &f, 1, (int64_t[]){12}, "E108",
        "axis b has 2 coordinates for 3 of the elements, pieces would be 2,1"));
    fixture_finish(&f);
}

Test(tiling_errors, even_names_the_segment_and_the_factor)
{
    struct fixture f;
    int64_t segments[] = {4, 6};

    fixture_begin(&f, 2, sizes42);
    f.rule.split = DTX_SPLIT_EVEN;
    fixture_shard(&f, 0, 0)->keys[DTX_SHARD_SEGMENTS] =
        (struct dtx_shard_value){2, segments};
    cr_assert(fixture_refuses(&f, 1, (int64_t[]){10}, "E108",
                              "segment 1 of it 6, axis a has 4 coordinates "
                              "for 6 of the elements, pieces would be "
                              "2,2,2,0"));
    f.placements[0].keys[DTX_SHARD_SEGMENTS] = (struct dtx_shard_value){0};
    f.placements[0].keys[DTX_SHARD_FACTOR].number = 3;
    cr_assert(fixture_refuses(&f, 1, (int64_t[]){10}, "E108",
                              "split_factor is 3, pieces would be 4,4,2"));
    fixture_finish(&f);
}

Test(tiling_errors, even_counts_blocks_where_they_stay_whole)
{
    struct fixture f;

    fixture_begin(&f, 2, sizes42);
    f.rule.split = DTX_SPLIT_EVEN;
    fixture_shard(&f, 0, 0)->keys[DTX_SHARD_BLOCK].number = 4;
    cr_assert(fixture_refuses(&f, 1, (int64_t[]){20}, "E108",
                              "axis a has 4 coordinates for 5 blocks"));
    fixture_finish(&f);
}

Test(tiling_errors, many_pieces_are_listed_in_short)
{
    struct fixture f;

    fixture_begin(&f, 1, (int[]){1024});
    f.rule.split = DTX_SPLIT_EVEN;
    fixture_shard(&f, 0, 0);
    cr_assert(fixture_refuses(&f, 1, (int64_t[]){1025}, "E108",
                              "pieces would be 2,2,2,2,2,2,2,2,…"));
    fixture_finish(&f);
}

Test(tiling_errors, a_scalar_cannot_be_sharded)
{
    struct fixture f;

    fixture_begin(&f, 2, sizes42);
    fixture_shard(&f, 1, 0);
    cr_assert(
        fixture_refuses(&f, 0, NULL, "E101", "x: a scalar can't be sharded"));
    fixture_finish(&f);
}

Test(tiling_errors, dims_that_do_not_exist_are_all_named)
{
    struct fixture f;

    fixture_begin(&f, 2, sizes42);
    fixture_shard(&f, 0, 2);
    fixture_shard(&f, 1, -3);
    fixture_pad(&f, 5, 8, 0);
    cr_assert(
        fixture_refuses(&f, 2, (int64_t[]){8, 4}, "E102",
                        "x: there is no dimension 2, its shape is [8, 4]"));
    cr_assert_eq(dtx_diagnostics_error_count(f.list), 3);
    fixture_finish(&f);
}

Test(tiling_errors, padding_cannot_shorten_or_come_twice)
{
    struct fixture f;

    fixture_begin(&f, 2, sizes42);
    fixture_pad(&f, 0, 7, 0);
    cr_assert(fixture_refuses(
        &f, 1, (int64_t[]){8}, "E104",
        "dimension 0 has 8 elements, more than its padded extent 7"));
    f.pad[0].extent = 8;
    fixture_pad(&f, -1, 0, 4);
    cr_assert(fixture_refuses(&f, 1, (int64_t[]){8}, "E103",
                              "dimension 0 is padded twice"));
    fixture_finish(&f);
}

Test(tiling_errors, padding_cannot_overflow)
{
    struct fixture f;

    fixture_begin(&f, 2, sizes42);
    fixture_pad(&f, 0, -1, INT64_MAX - 1);
    cr_assert(
        fixture_refuses(&f, 1, (int64_t[]){INT64_MAX}, "E104", "is too long"));
    f.pad[0].multiple = INT64_MAX;
    cr_assert(fixture_refuses(&f, 2, (int64_t[]){8, 8}, "E110",
                              "x: too large with its padding"));
    f.rule.pad_count = 0;
    f.rule.split = DTX_SPLIT_PAD;
    fixture_shard(&f, 0, 0);
    cr_assert(
        fixture_refuses(&f, 1, (int64_t[]){INT64_MAX}, "E110", "x: too large"));
    fixture_finish(&f);
}

Test(tiling_errors, sizes_and_segments_sum_to_the_stored_extent)
{
    struct fixture f;
    int64_t two[] = {2, 3}, four[] = {2, 3, 3, 0};

    fixture_begin(&f, 2, sizes42);
    fixture_shard(&f, 0, 0)->keys[DTX_SHARD_SIZES] =
        (struct dtx_shard_value){4, four};
    fixture_shard(&f, 1, 1)->keys[DTX_SHARD_SEGMENTS] =
        (struct dtx_shard_value){2, two};
    fixture_pad(&f, 1, 6, 0);
    cr_assert(fixture_refuses(
        &f, 2, (int64_t[]){9, 5}, "E106",
        "dimension 0 has 9 elements, its sizes 2,3,3,0 sum to 8"));
    cr_assert(fixture_refuses(&f, 2, (int64_t[]){8, 5}, "E107",
                              "dimension 1 has 6 elements (5 and padding), "
                              "its segments 2,3 sum to 5"));
    two[0] = INT64_MAX;
    cr_assert(fixture_refuses(&f, 2, (int64_t[]){8, 5}, "E107",
                              "sum to more than a dimension can have"));
    fixture_finish(&f);
}

Test(tiling_errors, sizes_go_with_the_first_axis_however_the_dim_is_written)
{
    struct fixture f;
    int64_t two[] = {2, 3};

    fixture_begin(&f, 2, sizes42);
    fixture_shard(&f, 0, 0);
    fixture_shard(&f, 1, -1)->keys[DTX_SHARD_SIZES] =
        (struct dtx_shard_value){2, two};
    cr_assert(fixture_refuses(&f, 1, (int64_t[]){5}, "E105",
                              "axis b has sizes, but another axis splits "
                              "dimension 0 before it"));
    fixture_finish(&f);
}

Test(tiling_errors, runs_without_number_are_refused_before_memory_ends)
{
    struct fixture f;

    fixture_begin(&f, 2, sizes42);
    fixture_shard(&f, 1, 0)->keys[DTX_SHARD_FACTOR].number = 1000000000;
    cr_assert(fixture_refuses(&f, 1, (int64_t[]){INT64_C(1000000000000)},
                              "E109", "more than 4194304 runs"));
    fixture_finish(&f);
}
