/*
 * What channels promise, one by one, on layouts made in code.
 */
#include <string.h>

#include "part.h"

static void
claim_all_done(int count, const struct part *parts)
{
    for (int p = 0; p < count; p++) {
        claim(parts[p].status == DTX_OK, "process %d: %s", p,
              parts[p].err.message);
    }
}

static void
count_up(float *out, int count, float first)
{
    for (int i = 0; i < count; i++) {
        out[i] = first + (float)i;
    }
}

Test(promises, strided_placements_arrive_where_they_belong)
{
    struct part parts[3] = {
        {.source_placement = "_S(0, 2)", .source_size = 2, .shape = 8},
        {.source_placement = "_S(0, 2)", .source_size = 2, .shape = 8},
        {.target_size = 1, .shape = 8}};
    const float first[] = {0, 1, 4, 5}, second[] = {2, 3, 6, 7};

    memcpy(parts[0].given, first, sizeof first);
    memcpy(parts[1].given, second, sizeof second);
    run_parts(3, parts);
    claim_all_done(3, parts);
    for (int i = 0; i < 8; i++) {
        claim(parts[2].got[i] == (float)i);
    }
}

Test(promises, pending_sums_are_reduced_on_the_way)
{
    struct part parts[3] = {
        {.source_placement = "partial(sum)", .source_size = 2, .shape = 4},
        {.source_placement = "partial(sum)", .source_size = 2, .shape = 4},
        {.target_size = 1, .shape = 4}};

    count_up(parts[0].given, 4, 1);
    count_up(parts[1].given, 4, 10);
    run_parts(3, parts);
    claim_all_done(3, parts);
    for (int i = 0; i < 4; i++) {
        claim(parts[2].got[i] == 11 + 2 * (float)i);
    }
}

Test(promises, replicas_that_are_there_already_are_not_sent)
{
    static const int map[] = {0, 1};
    struct part parts[2];

    for (int p = 0; p < 2; p++) {
        parts[p] = (struct part){.source_size = 2,
                                 .target_size = 2,
                                 .target_placement = "shard(0)",
                                 .shape = 8,
                                 .source_map = map,
                                 .target_map = map};
        count_up(parts[p].given, 8, 0);
    }
    run_parts(2, parts);
    claim_all_done(2, parts);
    claim(parts[0].totals.moved == 0);
    claim(parts[0].got[3] == 3 && parts[1].got[3] == 7);
}

Test(promises, replicas_share_what_they_send)
{
    struct part parts[4] = {
        {.source_size = 2, .shape = 64},
        {.source_size = 2, .shape = 64},
        {.target_size = 2, .target_placement = "shard(0)", .shape = 64},
        {.target_size = 2, .target_placement = "shard(0)", .shape = 64}};

    count_up(parts[0].given, 64, 0);
    count_up(parts[1].given, 64, 0);
    for (int p = 0; p < 4; p++) {
        parts[p].strategy = DTX_STRATEGY_OPTIMAL;
    }
    run_parts(4, parts);
    claim_all_done(4, parts);
    claim(parts[0].cost.sent == 128 && parts[1].cost.sent == 128);
    claim(parts[2].got[31] == 31 && parts[3].got[31] == 63);
}

Test(promises, empty_shards_need_no_array)
{
    struct part parts[4] = {
        {.source_size = 1, .shape = 2},
        {.target_size = 3, .target_placement = "shard(0)", .shape = 2},
        {.target_size = 3, .target_placement = "shard(0)", .shape = 2},
        {.target_size = 3, .target_placement = "shard(0)", .shape = 2}};

    /* one, one, none */
    count_up(parts[0].given, 2, 5);
    parts[3].has_no_array = true;
    run_parts(4, parts);
    claim_all_done(4, parts);
    claim(parts[1].got[0] == 5 && parts[2].got[0] == 6);
}

Test(promises, elements_become_the_targets_dtype)
{
    struct part parts[2] = {
        {.source_size = 1, .shape = 4},
        {.target_size = 1, .target_dtype = DTX_FLOAT64, .shape = 4}};

    count_up(parts[0].given, 4, 0.5F);
    run_parts(2, parts);
    claim_all_done(2, parts);
    claim(parts[1].got_double[3] == 3.5);
}

Test(promises, overlapping_meshes_dont_wait_for_each_other)
{
    static const int forth[] = {0, 1, 2}, back[] = {2, 0, 1};
    struct part parts[3];

    for (int s = DTX_STRATEGY_AUTO; s < DTX_STRATEGY_DIRECT; s++) {
        for (int p = 0; p < 3; p++) {
            parts[p] = (struct part){.source_size = 3,
                                     .source_placement = "shard(0)",
                                     .target_size = 3,
                                     .target_placement = "shard(0)",
                                     .shape = 6,
                                     .strategy = (enum dtx_strategy)s,
                                     .source_map = forth,
                                     .target_map = back};
            count_up(parts[p].given, 2, 2 * (float)p);
        }
        run_parts(3, parts);
        claim_all_done(3, parts);
        for (int rank = 0; rank < 3; rank++) {
            claim(parts[back[rank]].got[1] == 2 * (float)rank + 1);
        }
    }
}
