#include <criterion/criterion.h>
#include <stdio.h>

#include "tabled.h"

/* How much of what moves under `block`, one process a rank, `auto` removes. */
struct share {
    const char *source;
    const char *target;
    int tensor_count;
    int process_count;
    int part, of; /* removed */
};

static void
check_share(const struct share *share)
{
    struct dtx_plan_options options = {.process_count = share->process_count,
                                       .map = DTX_MAP_BLOCK};
    uint64_t block, moved, saved;
    struct tabled t;

    tabled_begin(&t, share->source, share->target, share->tensor_count, 64);
    block = dtx_plan_totals(tabled_plan(&t, &options))->moved;
    options.map = DTX_MAP_AUTO;
    moved = dtx_plan_totals(tabled_plan(&t, &options))->moved;
    saved = dtx_plan_map_gain(t.plan)->saved;
    cr_assert_eq(saved, block - moved);
    cr_assert_eq(dtx_plan_map_gain(t.plan)->saved_at_most, saved);
    cr_assert_gt(block, 0);
    cr_assert_eq(saved * (uint64_t)share->of, block * (uint64_t)share->part,
                 "%llu of %llu", (unsigned long long)saved,
                 (unsigned long long)block);
    tabled_finish(&t);
}

#define GRID(x, y)                                                             \
    "mesh: {x: " #x ", y: " #y "}\n"                                           \
    "tensors: [{name: '*.*', placements: {x: S(0), y: S(1)}}]"

Test(shares, of_2_by_4_to_4_by_2_a_third_stays)
{
    check_share(&(struct share){GRID(2, 4), GRID(4, 2), 1, 8, 1, 3});
}

Test(shares, of_rows_of_ranks_to_columns_of_ranks_all_stays)
{
    check_share(&(struct share){
        GRID(8, 8),
        "mesh: {y: 8, x: 8}\n"
        "tensors: [{name: '*.*', placements: {x: S(0), y: S(1)}}]",
        1, 64, 1, 1});
}

Test(shares, of_4_by_16_to_16_by_4_a_fifth_stays)
{
    check_share(&(struct share){GRID(4, 16), GRID(16, 4), 1, 64, 1, 5});
}

Test(shares, of_8_by_8_to_4_by_16_7_of_15_stay)
{
    check_share(&(struct share){GRID(8, 8), GRID(4, 16), 1, 64, 7, 15});
}

Test(shares, of_16_stages_of_8_to_8_stages_of_16_7_of_15_stay)
{
    check_share(
        &(struct share){"mesh: {pp: 16, tp: 8}\n"
                        "numbered: [{name: 't.{n}', axis: pp, held: 16}]\n"
                        "tensors: [{name: '*.*', placements: {tp: S(0)}}]",
                        "mesh: {pp: 8, tp: 16}\n"
                        "numbered: [{name: 't.{n}', axis: pp, held: 16}]\n"
                        "tensors: [{name: '*.*', placements: {tp: S(0)}}]",
                        16, 128, 7, 15});
}

/* A mesh of ranks that hold one tensor each, rank r tensor r + shift. */
static const char *
ring(int count, int shift, char *text, size_t size)
{
    int used = snprintf(text, size,
                        "mesh: {r: %d}\ntensors: [{name: '*.*'}]\n"
                        "numbered: [{name: 't.{n}', axis: r, held: [",
                        count);

    for (int i = 0; i < count; i++) {
        used += snprintf(text + used, size - (size_t)used, "%s[%d]",
                         i > 0 ? ", " : "", (i + shift) % count);
    }
    snprintf(text + used, size - (size_t)used, "]}]");
    return text;
}

static void
check_ring(int count)
{
    char texts[2][1024];

    check_share(&(struct share){ring(count, 0, texts[0], sizeof texts[0]),
                                ring(count, 1, texts[1], sizeof texts[1]),
                                count, count, 1, 1});
}

Test(shares, of_a_ring_of_64_shifted_by_one_all_stays)
{
    check_ring(64);
}

Test(shares, of_a_cycle_of_three_all_stays)
{
    check_ring(3);
}

Test(shares, of_8_by_8_to_64_no_more_stays)
{
    check_share(&(struct share){
        GRID(8, 8),
        "mesh: {x: 64}\ntensors: [{name: '*.*', placements: {x: S(0)}}]", 1, 64,
        0, 1});
}

Test(shares, of_fsdp_over_tensor_parallel_to_fsdp_alone_no_more_stays)
{
    check_share(&(struct share){
        "mesh: {fsdp: 8, tp: 4}\n"
        "tensors: [{name: '*.*', placements: {fsdp: S(0), tp: S(1)}}]",
        "mesh: {fsdp: 32}\n"
        "tensors: [{name: '*.*', placements: {fsdp: S(0)}}]",
        1, 32, 0, 1});
}
