/*
 * How long plans of large jobs take on one core, and how much memory.
 *
 * Each case runs in a process of its own, several times; the best time is
 * shown, and the most memory of the process. A plan is made from layouts and a
 * tensor table, as `dtx plan` makes it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dtx/plan.h>

#include "bench.h"
#include "layout/catalog.h"
#include "plan/plan.h"
#include "plan/step/step.h"
#include "util/alloc.h"

enum { REPEAT_COUNT = 3, NAME_BYTES = 32 };

struct plan_case {
    const char *name;
    const char *table; /* a model's; NULL: `tensor_count` alike */
    int tensor_count;
    int64_t shape[2];
    const char *source; /* mesh and rules */
    const char *target;
    int process_count;
    double seconds_most; /* that the case may take; 0: as it is */
    bool skips_steps;    /* a process has too many to build them all */
};

/* ---------------------------------------------------------------- layouts */

#define SHARD_ALL(mesh, dim)                                                   \
    "mesh: {" mesh "}\ncheckpoint: {path: \"s/{rank}.h5\"}\n"                  \
    "tensors:\n  - {name: \"**\", placements: [\"shard(" dim ")\"]}\n"

/* A dense model as Megatron divides it. */
#define TENSOR_PARALLEL(mesh)                                                  \
    "mesh: {" mesh "}\ncheckpoint: {path: \"t/{rank}.h5\"}\n"                  \
    "tensors:\n"                                                               \
    "  - {name: \"**.{o,down}_proj.weight\", placements: {tp: shard(1)}}\n"    \
    "  - {name: \"**norm.weight\", placements: {}}\n"                          \
    "  - {name: \"**\", placements: {tp: shard(0)}}\n"

/* DeepSeek-V3 in training: experts and stages; the rest over dp. */
#define STAGES_AND_EXPERTS                                                     \
    "mesh: {pp: 16, ep: 64, dp: 2}\n"                                          \
    "checkpoint: {path: \"s/{rank}.h5\"}\n"                                    \
    "numbered:\n"                                                              \
    "  - {name: \"model.layers.{n}.**\", axis: pp, held: 62}\n"                \
    "  - {name: \"**.experts.{n}.**\", axis: ep, held: 256}\n"                 \
    "tensors:\n"                                                               \
    "  - {name: \"**.experts.**\", placements: {}}\n"                          \
    "  - {name: \"model.layers.**\", placements: {dp: shard(0)}}\n"            \
    "  - {name: \"model.embed_tokens.weight\", where: {pp: 0}}\n"              \
    "  - {name: \"**\", where: {pp: -1}}\n"

/* And where it serves. */
#define EXPERTS                                                                \
    "mesh: {ep: 320}\ncheckpoint: {path: \"t/{rank}.h5\"}\n"                   \
    "numbered:\n"                                                              \
    "  - {name: \"**.experts.{n}.**\", axis: ep, held: 256}\n"                 \
    "tensors:\n  - {name: \"**\", placements: {}}\n"

static const struct plan_case cases[] = {
    {"one tensor, rows on 1024 -> columns on 1024",
     NULL,
     1,
     {1048576, 1024},
     SHARD_ALL("a: 1024", "0"),
     SHARD_ALL("b: 1024", "1"),
     1024,
     1.0,
     false},
    {"405B, fsdp 16384 -> dp 1024 tp 8, 16384 procs",
     "llama-3.1-405b",
     0,
     {0},
     SHARD_ALL("fsdp: 16384", "0"),
     TENSOR_PARALLEL("dp: 1024, tp: 8"),
     16384,
     0,
     false},
    {"405B, fsdp 16384 -> dp 1024 tp 8, 8 procs",
     "llama-3.1-405b",
     0,
     {0},
     SHARD_ALL("fsdp: 16384", "0"),
     TENSOR_PARALLEL("dp: 1024, tp: 8"),
     8,
     0,
     true},
    {"DeepSeek-V3, pp 16 ep 64 dp 2 -> ep 320, 2048 procs",
     "deepseek-v3",
     0,
     {0},
     STAGES_AND_EXPERTS,
     EXPERTS,
     2048,
     0,
     false},
    {"DeepSeek-V3, pp 16 ep 64 dp 2 -> ep 320, 8 procs",
     "deepseek-v3",
     0,
     {0},
     STAGES_AND_EXPERTS,
     EXPERTS,
     8,
     0,
     false},
    {"405B, fsdp 64 -> tp 8 dp 8, 64 procs",
     "llama-3.1-405b",
     0,
     {0},
     SHARD_ALL("fsdp: 64", "0"),
     TENSOR_PARALLEL("tp: 8, dp: 8"),
     64,
     0,
     false},
    {"405B, fsdp 1024 -> tp 8 dp 128, 1024 procs",
     "llama-3.1-405b",
     0,
     {0},
     SHARD_ALL("fsdp: 1024", "0"),
     TENSOR_PARALLEL("tp: 8, dp: 128"),
     1024,
     0,
     false},
    {"1024 tensors, 1024 -> 512, 1024 procs",
     NULL,
     1024,
     {1024, 1},
     SHARD_ALL("a: 1024", "0"),
     SHARD_ALL("b: 512", "0"),
     1024,
     0,
     false},
    {"1024 tensors, 2048 -> 1024, 2048 procs",
     NULL,
     1024,
     {1024, 1},
     SHARD_ALL("a: 2048", "0"),
     SHARD_ALL("b: 1024", "0"),
     2048,
     0,
     false},
    {"405B, fsdp 512 -> tp 8 dp 64, 512 procs",
     "llama-3.1-405b",
     0,
     {0},
     SHARD_ALL("fsdp: 512", "0"),
     TENSOR_PARALLEL("tp: 8, dp: 64"),
     512,
     0,
     false},
    {"16 equal tensors, 512 -> 1024, 1024 procs",
     NULL,
     16,
     {2048, 64},
     SHARD_ALL("a: 512", "0"),
     SHARD_ALL("b: 1024", "1"),
     1024,
     0,
     false},
    {"256 equal tensors, 512 -> 1024, 1024 procs",
     NULL,
     256,
     {2048, 64},
     SHARD_ALL("a: 512", "0"),
     SHARD_ALL("b: 1024", "1"),
     1024,
     0,
     false},
};

enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

/* ---------------------------------------------------------------- planning */

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
check(enum dtx_status status, const struct dtx_error *err,
      const struct dtx_diagnostics *list)
{
    if (status != DTX_OK) {
        char *drawn = dtx_diagnostics_draw(list);

        fprintf(stderr, "%s\n%s\n", err->message, drawn);
        exit(1);
    }
}

/* Tensors that are all alike. */
static struct dtx_catalog *
make_table(const struct plan_case *c)
{
    struct dtx_catalog *catalog = dtx_alloc(1, sizeof *catalog);

    catalog->entry_count = c->tensor_count;
    catalog->entries = dtx_arena_alloc(&catalog->arena, (size_t)c->tensor_count,
                                       sizeof *catalog->entries);
    for (int i = 0; i < c->tensor_count; i++) {
        struct dtx_table_entry *entry = &catalog->entries[i];

        entry->name = dtx_arena_format(&catalog->arena, "layers.%d.weight", i);
        entry->type = dtx_type_of(DTX_BFLOAT16);
        entry->ndim = 2;
        entry->shape = c->shape;
    }
    return catalog;
}

static struct dtx_layout *
parse(const char *text, const char *table, enum dtx_role role,
      struct dtx_diagnostics *list)
{
    static char whole[4096];
    struct dtx_layout *layout;
    struct dtx_error err;

    snprintf(whole, sizeof whole, "%s", text);
    if (table != NULL) {
        snprintf(whole, sizeof whole, "%scatalog: \"%s/%s.yaml\"\n", text,
                 MODELS, table);
    }
    check(dtx_layout_parse(whole, "x.yaml", ".", role, list, &layout, &err),
          &err, list);
    return layout;
}

/* Seconds of the processor to load, to plan, and for one process to find out
 * what it does in all steps. */
struct times {
    double load, plan, steps;
};

/* Builds all steps of the middle process: seconds. A table has no datasets, so
 * it goes as between shards in memory. */
static double
build_steps(struct dtx_plan *plan)
{
    struct dtx_step_builder builder = {0};
    struct dtx_step step = {0};
    struct dtx_error err;
    double begin = now();

    plan->is_memory = true;
    check(dtx_step_builder_init(&builder, plan, plan->options.process_count / 2,
                                &err),
          &err, NULL);
    for (int64_t i = 0; i < plan->schedule->step_count; i++) {
        check(dtx_step_build(&builder, i, &step, &err), &err, NULL);
    }
    dtx_step_finish(&step);
    dtx_step_builder_finish(&builder);
    return now() - begin;
}

static struct times
plan_once(const struct plan_case *c)
{
    struct dtx_plan_options options = {.strategy = DTX_STRATEGY_OPTIMAL,
                                       .process_count = c->process_count,
                                       .memory_bytes = (uint64_t)4 << 30,
                                       .map = DTX_MAP_BLOCK};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    double begin = now(), middle;
    struct dtx_layout *source = parse(c->source, c->table, DTX_SOURCE, list);
    struct dtx_layout *target = parse(c->target, NULL, DTX_TARGET, list);
    struct dtx_catalog *catalog;
    struct dtx_plan *plan;
    struct dtx_error err;
    struct times times;

    if (c->table == NULL) {
        catalog = make_table(c);
    } else {
        check(dtx_catalog_load_table(source, list, &catalog, &err), &err, list);
    }
    middle = now();
    check(dtx_plan_create(source, target, catalog, &options, list, &plan, &err),
          &err, list);
    times = (struct times){middle - begin, now() - middle, 0};
    times.steps = c->skips_steps ? 0 : build_steps(plan);
    dtx_plan_destroy(plan);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(source);
    dtx_layout_destroy(target);
    dtx_diagnostics_destroy(list);
    return times;
}

static struct times
best_of(const struct plan_case *c, int repeats)
{
    struct times best = plan_once(c);

    for (int i = 1; i < repeats; i++) {
        struct times next = plan_once(c);

        best.load = next.load < best.load ? next.load : best.load;
        best.plan = next.plan < best.plan ? next.plan : best.plan;
        best.steps = next.steps < best.steps ? next.steps : best.steps;
    }
    return best;
}

static int
run_case(const struct plan_case *c, int repeats, bool wants_lines)
{
    struct rusage usage;
    struct times best;

    best = best_of(c, repeats);
    getrusage(RUSAGE_SELF, &usage);
    if (wants_lines) {
        bench_line(best.load, "load: %s", c->name);
        bench_line(best.plan, "plan: %s", c->name);
        if (!c->skips_steps) {
            bench_line(best.steps, "steps: %s", c->name);
        }
    } else {
        printf("%-52s %8.1f %8.1f %8.1f %8.0f\n", c->name, best.load * 1e3,
               best.plan * 1e3, best.steps * 1e3,
               (double)usage.ru_maxrss / 1024);
        fflush(stdout);
    }
    if (c->seconds_most > 0 && best.plan > c->seconds_most) {
        fprintf(stderr, "takes more than %g s\n", c->seconds_most);
        return 1;
    }
    return 0;
}

static int
fork_case(const struct plan_case *c, int repeats, bool wants_lines)
{
    int status = 1;
    pid_t child = fork();

    if (child == 0) {
        exit(run_case(c, repeats, wants_lines));
    }
    waitpid(child, &status, 0);
    return status != 0;
}

/* bench-plan [--lines] [FIRST [COUNT [REPEATS]]] */
int
main(int argc, char **argv)
{
    bool wants_lines = bench_wants_lines(argc, argv);
    char **words = argv + wants_lines;
    int count = argc - wants_lines;
    int first = count > 1 ? (int)strtol(words[1], NULL, 10) : 0;
    int end = count > 2 ? first + (int)strtol(words[2], NULL, 10) : CASE_COUNT;
    int repeats = count > 3 ? (int)strtol(words[3], NULL, 10) : REPEAT_COUNT;
    int failed = 0;

    if (!wants_lines) {
        printf("%-52s %8s %8s %8s %8s\n", "", "load ms", "plan ms", "steps ms",
               "MiB");
        fflush(stdout);
    }
    for (int i = first; i < CASE_COUNT && i < end; i++) {
        failed |= fork_case(&cases[i], repeats, wants_lines);
    }
    return failed;
}
