#include "unit/plan/planned.h"

#include <time.h>

#include "plan/map/map_choose.h"
#include "plan/weigh/pending.h"
#include "tabled.h"
#include "util/alloc.h"

enum { RANKS_MOST = 6, RANKS_ROOM = 32 };

/* ------------------------------------------------------------- brute force */

/* Elements of one tensor that a position needs or has, terms apart. */
static void
list_elements(const struct planned *p, int side, int tensor, int position,
              bool *are_in)
{
    int64_t elements = scene_element_count(&p->scene, tensor);
    int terms = scene_term_count(&p->scene, SCENE_SOURCE, tensor);
    static struct shard shard;

    if (side == SCENE_TARGET
            ? !planned_needs(p, tensor, position)
            : !scene_holds(&p->scene, side, tensor, position)) {
        return;
    }
    scene_shard(&p->scene, side, tensor, position, &shard);
    for (int64_t i = 0; i < shard.count; i++) {
        int64_t element = scene_element(&p->scene, tensor, &shard, i);

        for (int t = 0; t < terms && element >= 0; t++) {
            are_in[t * elements + element] |=
                side == SCENE_TARGET ||
                t == scene_term(&p->scene, side, tensor, position);
        }
    }
}

/* The bytes that a target position needs, and has on a source position. */
static void
compare_positions(const struct planned *p, int target, int source,
                  uint64_t *needed_out, uint64_t *shared_out)
{
    *needed_out = *shared_out = 0;
    for (int tensor = 0; tensor < p->text->tensor_count; tensor++) {
        int64_t count = scene_element_count(&p->scene, tensor) *
                        scene_term_count(&p->scene, SCENE_SOURCE, tensor);
        bool *needed = calloc((size_t)count + 1, sizeof *needed);
        bool *has = calloc((size_t)count + 1, sizeof *has);
        uint64_t bytes = planned_wire_bytes(p, tensor);

        list_elements(p, SCENE_TARGET, tensor, target, needed);
        list_elements(p, SCENE_SOURCE, tensor, source, has);
        for (int64_t i = 0; i < count; i++) {
            *needed_out += needed[i] * bytes;
            *shared_out += (needed[i] && has[i]) * bytes;
        }
        free(needed);
        free(has);
    }
}

static uint64_t shared[RANKS_ROOM][RANKS_ROOM];

/* The most that targets from one on can have in place, each with a source of
 * its own or none. */
static uint64_t
most_in_place(int target, int targets, int sources, unsigned taken)
{
    uint64_t best;

    if (target == targets) {
        return 0;
    }
    best = most_in_place(target + 1, targets, sources, taken);
    for (int s = 0; s < sources; s++) {
        uint64_t in_place;

        if ((taken & 1u << s) != 0) {
            continue;
        }
        in_place = shared[target][s] +
                   most_in_place(target + 1, targets, sources, taken | 1u << s);
        best = in_place > best ? in_place : best;
    }
    return best;
}

/* What must move at least, whichever process hosts which rank, one each. */
static uint64_t
least_of_all_maps(const struct planned *p)
{
    int sources = p->scene.layouts[SCENE_SOURCE]->mesh.position_count;
    int targets = p->scene.layouts[SCENE_TARGET]->mesh.position_count;
    uint64_t needed = 0;

    for (int t = 0; t < targets; t++) {
        uint64_t of_target = 0;

        for (int s = 0; s < sources; s++) {
            compare_positions(p, t, s, &of_target, &shared[t][s]);
        }
        needed += of_target;
    }
    return needed - most_in_place(0, targets, sources, 0);
}

/* ------------------------------------------------------------------ claims */

static void
check_hosts(const struct planned *p, const int *processes, int positions,
            const struct dtx_procs *hosts)
{
    int counts[64] = {0};

    so(hosts->most == (positions + hosts->count - 1) / hosts->count);
    for (int i = 0; i < positions; i++) {
        so(dtx_procs_include(hosts, processes[i]));
        so(++counts[processes[i]] <= hosts->most);
    }
}

/* Plans under `block`, then under `auto`; what all maps must keep to. */
static void
check_gain(struct planned *p, struct dtx_plan_options *options)
{
    const struct dtx_map_gain *gain;
    uint64_t block;

    options->strategy = DTX_STRATEGY_OPTIMAL;
    options->map = DTX_MAP_BLOCK;
    planned_again(p, options);
    so(p->status == DTX_OK);
    block = p->plan->totals.moved;
    options->map = DTX_MAP_AUTO;
    planned_again(p, options);
    so(p->status == DTX_OK);
    gain = dtx_plan_map_gain(p->plan);
    so(p->plan->totals.moved == p->plan->totals.moved_at_least);
    so(p->plan->totals.moved == block - gain->saved);
    so(gain->saved_at_most >= gain->saved);
    check_hosts(p, p->plan->src_process, p->plan->source->mesh.position_count,
                &p->plan->src_procs);
    check_hosts(p, p->plan->dst_process, p->plan->target->mesh.position_count,
                &p->plan->dst_procs);
}

/* True where terms are reduced once, for several processes. */
static bool
passes_values_on(const struct planned *p)
{
    for (int i = 0; i < p->plan->class_count; i++) {
        if (dtx_pending_is_shared(p->plan->classes[i]->optimal)) {
            return true;
        }
    }
    return false;
}

static void
check_best(struct planned *p, struct random *random)
{
    struct dtx_plan_options options = p->options;
    int sources = p->scene.layouts[SCENE_SOURCE]->mesh.position_count;
    int targets = p->scene.layouts[SCENE_TARGET]->mesh.position_count;

    options.process_count = sources > targets ? sources : targets;
    options.process_count += (int)random_below(random, 2);
    check_gain(p, &options);
    if (passes_values_on(p)) {
        so(p->plan->gain.saved_at_most == UINT64_MAX ||
           p->plan->totals.moved == 0);
        return;
    }
    so(p->plan->totals.moved == least_of_all_maps(p));
    so(p->plan->gain.saved_at_most == p->plan->gain.saved);
}

Test(auto_map, with_a_process_a_rank_least_moves_of_all_maps)
{
    each_random_plan(1500, RANKS_MOST, 4, check_best);
}

static void
check_any(struct planned *p, struct random *random)
{
    struct dtx_plan_options options = p->options;

    check_gain(p, &options);
}

Test(auto_map, never_more_moves_than_under_block)
{
    each_random_plan(1000, 12, 16, check_any);
}

/* A random set of processes; never empty. */
static int
choose_processes(struct random *random, int count, int *chosen)
{
    int found = 0;

    for (int i = 0; i < count; i++) {
        if (random_below(random, 2) == 0) {
            chosen[found++] = count - 1 - i;
        }
    }
    if (found == 0) {
        chosen[found++] = (int)random_below(random, (uint64_t)count);
    }
    return found;
}

static void
check_lists(struct planned *p, struct random *random)
{
    struct dtx_plan_options options = p->options;
    int lists[2][16];

    options.src_procs = lists[0];
    options.src_proc_count =
        choose_processes(random, options.process_count, lists[0]);
    options.dst_procs = lists[1];
    options.dst_proc_count =
        choose_processes(random, options.process_count, lists[1]);
    check_gain(p, &options);
    for (int i = 0; i < options.process_count; i++) {
        const struct dtx_process_cost *cost = &p->plan->processes[i];

        so(cost->read == 0 || dtx_procs_include(&p->plan->src_procs, i));
        so(cost->written == 0 || dtx_procs_include(&p->plan->dst_procs, i));
    }
}

Test(auto_map, only_listed_processes_read_and_write)
{
    each_random_plan(1000, 12, 16, check_lists);
}

/* --------------------------------------------------------------- processes */

static const char grid[] =
    "mesh: {x: 2, y: 4}\n"
    "tensors: [{name: '*.*', placements: {x: S(0), y: S(1)}}]";
static const char replicas[] =
    "mesh: {dp: 4, tp: 4}\n"
    "tensors: [{name: '*.*', placements: {tp: S(0)}}]";
static const char rows[] =
    "mesh: {x: 16}\ntensors: [{name: '*.*', placements: {x: S(0)}}]";

Test(auto_map, replicas_share_a_process_where_each_has_room_for_several)
{
    struct tabled t;
    const int *dst;

    /* On each of 4 processes, a tensor's quarter lies; 4 replicas of each
     * quarter are wanted. */
    tabled_begin(&t, rows, replicas, 1, 64);
    dst = dtx_plan_target_processes(
        tabled_plan(&t, &(struct dtx_plan_options){.process_count = 4}));
    cr_assert_eq(dtx_plan_totals(t.plan)->moved, 0);
    for (int i = 0; i < 16; i++) {
        cr_assert_eq(dst[i], i % 4);
    }
    tabled_finish(&t);
}

Test(auto_map, where_nothing_is_to_gain_ranks_stay_where_block_has_them)
{
    struct tabled t;

    tabled_begin(&t, rows, rows, 1, 64);
    for (int count = 1; count <= 20; count++) {
        const struct dtx_plan *plan =
            tabled_plan(&t, &(struct dtx_plan_options){.process_count = count});

        cr_assert_eq(dtx_plan_map_gain(plan)->saved, 0);
        cr_assert_eq(dtx_plan_map_gain(plan)->saved_at_most, 0);
        for (int i = 0; i < 16; i++) {
            cr_assert_eq(dtx_plan_target_processes(plan)[i], i * count / 16);
            cr_assert_eq(dtx_plan_source_processes(plan)[i], i * count / 16);
        }
    }
    tabled_finish(&t);
}

Test(auto_map, senders_and_receivers_apart_keep_nothing)
{
    int src[] = {3, 2, 1, 0, 0}, dst[] = {4, 5, 6, 7, 8, 9, 10, 11};
    struct dtx_plan_options options = {.process_count = 12,
                                       .src_proc_count = 5,
                                       .src_procs = src,
                                       .dst_proc_count = 8,
                                       .dst_procs = dst};
    const struct dtx_plan *plan;
    struct tabled t;

    tabled_begin(&t, rows, grid, 1, 64);
    plan = tabled_plan(&t, &options);
    cr_assert_eq(dtx_plan_totals(plan)->kept, 0);
    for (int i = 0; i < 16; i++) {
        cr_assert_eq(dtx_plan_source_processes(plan)[i], i / 4);
    }
    for (int i = 0; i < 8; i++) {
        cr_assert_eq(dtx_plan_target_processes(plan)[i], 4 + i);
    }
    tabled_finish(&t);
}

/* Half of the processes may do both; all that needn't travel is there. */
Test(auto_map, ranks_meet_on_processes_that_may_both_read_and_write)
{
    int src[] = {0, 1, 2, 3, 4, 5, 6, 7}, dst[] = {4, 5, 6, 7, 8, 9, 10, 11};
    struct dtx_plan_options options = {.process_count = 12,
                                       .src_proc_count = 8,
                                       .src_procs = src,
                                       .dst_proc_count = 8,
                                       .dst_procs = dst};
    const char four[] =
        "mesh: {x: 4}\ntensors: [{name: '*.*', placements: {x: S(0)}}]";
    struct tabled t;

    tabled_begin(&t, four, four, 1, 64);
    cr_assert_eq(dtx_plan_totals(tabled_plan(&t, &options))->moved, 0);
    tabled_finish(&t);
}

Test(auto_map, who_writes_must_read_under_direct)
{
    int one[] = {1};
    struct dtx_plan_options options = {.process_count = 2,
                                       .strategy = DTX_STRATEGY_DIRECT,
                                       .src_proc_count = 1,
                                       .src_procs = one};
    struct tabled t;

    tabled_begin(&t, rows, grid, 1, 64);
    cr_assert_eq(tabled_try(&t, &options).status, DTX_ERR_INVALID);
    options.dst_proc_count = 1;
    options.dst_procs = one;
    cr_assert_eq(tabled_try(&t, &options).status, DTX_OK);
    options.strategy = DTX_STRATEGY_OPTIMAL;
    options.dst_proc_count = 0;
    tabled_plan(&t, &options);
    cr_assert_not(
        dtx_plan_strategy_cost(t.plan, DTX_STRATEGY_DIRECT)->is_known);
    tabled_finish(&t);
}

Test(auto_map, processes_that_are_not_there_are_refused)
{
    int beyond[] = {0, 2}, below[] = {-1};
    struct dtx_plan_options options = {
        .process_count = 2, .src_proc_count = 2, .src_procs = beyond};
    struct tabled t;

    tabled_begin(&t, rows, grid, 1, 64);
    cr_assert_eq(tabled_try(&t, &options).status, DTX_ERR_INVALID);
    options.src_proc_count = 0;
    options.dst_proc_count = 1;
    options.dst_procs = below;
    cr_assert_eq(tabled_try(&t, &options).status, DTX_ERR_INVALID);
    tabled_finish(&t);
}

/* -------------------------------------------------------------------- size */

#ifdef NDEBUG
static const double slowness = 1;
#else
static const double slowness = 20; /* sanitizers, no optimization */
#endif

/* Times the choice alone, by the seconds of this process: others may run. */
static void
check_time(const char *source, const char *target, int tensor_count, int ranks,
           double most)
{
    struct dtx_plan_options options = {.process_count = ranks,
                                       .map = DTX_MAP_BLOCK};
    struct tabled t;
    clock_t start;
    double seconds;

    tabled_begin(&t, source, target, tensor_count, 16384);
    tabled_plan(&t, &options);
    start = clock();
    cr_assert_eq(dtx_map_choose(t.plan), 0);
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    fprintf(stderr, "%d ranks: %.3f s\n", ranks, seconds);
    cr_assert_gt(dtx_plan_map_gain(t.plan)->saved, 0);
    cr_assert_lt(seconds, most * slowness);
    tabled_finish(&t);
}

#define SHARDED(first, second)                                                 \
    "mesh: {fsdp: " #first ", tp: " #second "}\n"                              \
    "tensors:\n"                                                               \
    "- {name: '*.0', placements: {tp: S(1), fsdp: S(0)}}\n"                    \
    "- {name: '*.1', placements: {fsdp: S(0)}}\n"                              \
    "- {name: '*.2', placements: {tp: S(0)}}\n"

Test(auto_map, of_2048_ranks_takes_less_than_a_second)
{
    check_time(SHARDED(256, 8), SHARDED(128, 16), 3, 2048, 1);
}

Test(auto_map, of_16384_ranks_takes_less_than_five_seconds)
{
    check_time(SHARDED(2048, 8), SHARDED(1024, 16), 1, 16384, 5);
}

Test(auto_map, memory_that_runs_out_anywhere_is_told)
{
    struct dtx_plan_options options = {.process_count = 5};
    struct dtx_error err = {.status = DTX_ERR_LIMIT};
    struct tabled t;
    int64_t calls;

    tabled_begin(&t, replicas, grid, 1, 64);
    for (calls = 0; err.status != DTX_OK; calls++) {
        dtx_alloc_fail_after(calls);
        err = tabled_try(&t, &options);
        dtx_alloc_fail_after(-1);
        claim(err.status == DTX_OK || err.status == DTX_ERR_LIMIT, "%d",
              (int)calls);
    }
    cr_assert_gt(calls, 100);
    tabled_finish(&t);
}
