/*
 * Plans of many processes, run on simulated links.
 */
#include "traffic.h"

#include <stdlib.h>

#include <dtx/catalog.h>
#include <dtx/layout.h>

#include "layout/catalog.h"
#include "plan/send/relay.h"
#include "plan/step/step.h"
#include "support/claim.h"
#include "support/random.h"
#include "util/alloc.h"
#include "util/text.h"

struct job {
    const char *source, *target; /* mesh and placements */
    int64_t shape[2];
    int process_count;
    int each; /* processes of a node; 0: all are on one */
    int tensor_count;
    uint64_t memory;
    bool materializes; /* else it is `optimal` */
};

#define LAYOUT(folder, mesh, placements)                                       \
    "mesh: {" mesh "}\ncheckpoint: {path: \"" folder "/{rank}.h5\"}\n"         \
    "tensors:\n  - {name: \"**\", placements: {" placements "}}\n"
#define SOURCE(mesh, placements) LAYOUT("s", mesh, placements)
#define TARGET(mesh, placements) LAYOUT("t", mesh, placements)

static struct dtx_layout *
parse(const char *text, enum dtx_role role, struct dtx_diagnostics *list)
{
    struct dtx_layout *layout = NULL;
    struct dtx_error err = {0};

    claim(dtx_layout_parse(text, "x.yaml", ".", role, list, &layout, &err) ==
              DTX_OK,
          "%s", err.message);
    return layout;
}

static struct dtx_catalog *
make_table(const struct job *job, int count)
{
    struct dtx_catalog *catalog = dtx_alloc(1, sizeof *catalog);

    catalog->entry_count = count;
    catalog->entries = dtx_arena_alloc(&catalog->arena, (size_t)count,
                                       sizeof *catalog->entries);
    for (int i = 0; i < count; i++) {
        struct dtx_table_entry *entry = &catalog->entries[i];

        entry->name = dtx_arena_format(&catalog->arena, "w%d", i);
        entry->type = dtx_type_of(i % 2 == 0 ? DTX_BFLOAT16 : DTX_FLOAT32);
        entry->ndim = 2;
        entry->shape = job->shape;
    }
    return catalog;
}

/* Plans the job, runs it, and tells how often boxes come to nodes. */
static struct traffic
run_job(const struct job *job, struct dtx_process_cost *busiest_out,
        bool *has_relays_out)
{
    struct random random = random_begin();
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *source = parse(job->source, DTX_SOURCE, list);
    struct dtx_layout *target = parse(job->target, DTX_TARGET, list);
    struct dtx_catalog *catalog = make_table(job, job->tensor_count);
    int *nodes = calloc((size_t)job->process_count, sizeof *nodes);
    struct dtx_plan_options options = {
        .strategy =
            job->materializes ? DTX_STRATEGY_MATERIALIZE : DTX_STRATEGY_OPTIMAL,
        .process_count = job->process_count,
        .memory_bytes = job->memory,
        .map = DTX_MAP_BLOCK,
        .nodes = nodes};
    struct dtx_plan *plan = NULL;
    struct dtx_error err = {0};
    struct traffic traffic;

    for (int i = 0; i < job->process_count && job->each > 0; i++) {
        nodes[i] = i / job->each;
    }
    claim(dtx_plan_create(source, target, catalog, &options, list, &plan,
                          &err) == DTX_OK,
          "%s", err.message);
    plan->is_memory = true; /* there are no files to look at */
    traffic = traffic_run(plan, random.state);
    *busiest_out = (struct dtx_process_cost){0};
    for (int i = 0; i < job->process_count; i++) {
        const struct dtx_process_cost *c = &plan->processes[i];

        if (c->sent > busiest_out->sent) {
            busiest_out->sent = c->sent;
        }
        if (c->received > busiest_out->received) {
            busiest_out->received = c->received;
        }
    }
    *has_relays_out = plan->classes[0]->relays != NULL;
    dtx_plan_destroy(plan);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(source);
    dtx_layout_destroy(target);
    dtx_diagnostics_destroy(list);
    free(nodes);
    return traffic;
}

/* Nobody takes from more than so many at a time, and yet messages don't queue
 * up behind others: on links that move three in four at a time, it takes not
 * much longer than the busiest process alone would. */
static void
check_job(const struct job *job, bool with_relays)
{
    struct dtx_process_cost busiest;
    bool has_relays;
    struct traffic t = run_job(job, &busiest, &has_relays);

    claim(t.most_peers <= DTX_STEP_PEERS_MOST, "%lld peers at a time",
          (long long)t.most_peers);
    claim(t.rounds <= 10 * t.rounds_at_least + 20, "%lld rounds, at least %lld",
          (long long)t.rounds, (long long)t.rounds_at_least);
    claim(has_relays == with_relays, "with relays: %d", has_relays);
    claim(!with_relays || busiest.sent <= 5 * busiest.received / 2,
          "the busiest sends %llu, and receives %llu",
          (unsigned long long)busiest.sent,
          (unsigned long long)busiest.received);
}

Test(traffic, of_one_holder_to_4096_processes_is_passed_on, .timeout = 300)
{
    static const struct job job = {.source = SOURCE("x: 1", ""),
                                   .target = TARGET("x: 4096", ""),
                                   .shape = {256, 512},
                                   .process_count = 4096,
                                   .each = 64,
                                   .tensor_count = 1,
                                   .memory = 1 << 26};

    check_job(&job, true);
}

Test(traffic, of_few_holders_on_one_node_is_passed_on, .timeout = 300)
{
    static const struct job job = {.source = SOURCE("x: 4", "x: shard(1)"),
                                   .target =
                                       TARGET("dp: 256, tp: 2", "tp: shard(0)"),
                                   .shape = {1024, 2048},
                                   .process_count = 512,
                                   .each = 0,
                                   .tensor_count = 1,
                                   .memory = 1 << 26};

    check_job(&job, true);
}

Test(traffic, of_shards_on_nodes_to_everyone_comes_once_to_each, .timeout = 300)
{
    static const struct job job = {.source = SOURCE("x: 256", "x: shard(0)"),
                                   .target = TARGET("x: 256", ""),
                                   .shape = {1024, 512},
                                   .process_count = 256,
                                   .each = 8,
                                   .tensor_count = 2,
                                   .memory = 1 << 26};

    check_job(&job, true);
}

Test(traffic, of_1024_shards_to_their_replicas_is_even, .timeout = 300)
{
    static const struct job job = {.source = SOURCE("x: 1024", "x: shard(0)"),
                                   .target =
                                       TARGET("tp: 8, dp: 128", "tp: shard(0)"),
                                   .shape = {1024, 64},
                                   .process_count = 1024,
                                   .each = 0,
                                   .tensor_count = 2,
                                   .memory = 1 << 26};

    check_job(&job, false);
}

Test(traffic, from_rows_to_columns_of_256_is_even, .timeout = 300)
{
    static const struct job job = {.source = SOURCE("x: 256", "x: shard(0)"),
                                   .target = TARGET("x: 256", "x: shard(1)"),
                                   .shape = {256, 1024},
                                   .process_count = 256,
                                   .each = 8,
                                   .tensor_count = 2,
                                   .memory = 1 << 26};

    check_job(&job, false);
}

Test(traffic, in_small_steps_gets_everything_there_as_well, .timeout = 300)
{
    static const struct job job = {.source = SOURCE("x: 2", "x: shard(0)"),
                                   .target = TARGET("x: 64", ""),
                                   .shape = {256, 256},
                                   .process_count = 64,
                                   .each = 4,
                                   .tensor_count = 1,
                                   .memory = 1 << 18};

    check_job(&job, true);
}

/* What a node's process needs crosses its link in about the time that it takes
 * to come once, though relays get it first, however many nodes there are. */
static void
check_overlap(int process_count, int each, uint64_t memory, double crossings)
{
    struct dtx_text target = {0};
    struct job job = {.source = SOURCE("x: 1", ""),
                      .shape = {2048, 1024},
                      .process_count = process_count,
                      .each = each,
                      .tensor_count = 2,
                      .memory = memory};
    struct dtx_process_cost busiest;
    bool has_relays;
    struct traffic t;

    dtx_text_format(&target, LAYOUT("t", "x: %d", ""), process_count);
    job.target = target.data;
    t = run_job(&job, &busiest, &has_relays);
    claim((double)t.busiest_bytes <= crossings * (double)busiest.received,
          "%d processes, %d on a node: %.2f crossings", process_count, each,
          (double)t.busiest_bytes / (double)busiest.received);
    dtx_text_finish(&target);
}

Test(traffic, is_passed_on_while_more_of_it_comes, .timeout = 300)
{
    for (int count = 2; count <= 16; count *= 2) {
        check_overlap(count, 1, 1 << 27, 1.25);
        check_overlap(count, 2, 1 << 27, 1.25);
        check_overlap(count, 0, 1 << 27, 1.25);
    }
}

Test(traffic, is_passed_on_within_little_memory, .timeout = 300)
{
    check_overlap(4, 1, 1 << 20, 1.25);
    check_overlap(8, 2, 1 << 20, 1.25);
    check_overlap(8, 1, 1 << 20, 1.25);
}

Test(traffic, of_whole_tensors_is_passed_on_too, .timeout = 300)
{
    static const struct job jobs[] = {{.source = SOURCE("x: 1", ""),
                                       .target = TARGET("x: 16", "x: shard(0)"),
                                       .shape = {1024, 512},
                                       .process_count = 16,
                                       .each = 4,
                                       .tensor_count = 2,
                                       .memory = 1 << 26,
                                       .materializes = true},
                                      {.source = SOURCE("x: 8", "x: shard(0)"),
                                       .target = TARGET("x: 32", "x: shard(1)"),
                                       .shape = {1024, 512},
                                       .process_count = 32,
                                       .each = 8,
                                       .tensor_count = 1,
                                       .memory = 1 << 20,
                                       .materializes = true}};

    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        check_job(&jobs[i], true);
    }
}
