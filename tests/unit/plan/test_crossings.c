/*
 * What predictions know of nodes.
 */
#include "simulation.h"

#include <dtx/machine.h>

struct crossing_case {
    const char *source, *target; /* meshes and placements */
    int process_count, each;
};

#define FROM(mesh, placements)                                                 \
    "mesh: {" mesh "}\ncheckpoint: {path: \"s/{rank}.h5\"}\n"                  \
    "tensors:\n  - {name: a, placements: {" placements "}}\n"
#define TO(mesh, placements)                                                   \
    "mesh: {" mesh "}\ncheckpoint: {path: \"t/{rank}.h5\"}\n"                  \
    "tensors:\n  - {name: a, placements: {" placements "}}\n"

enum { SIDE = 1024, BYTES = SIDE * SIDE * 8 };

/* What the messages of a strategy take by themselves. */
static double
travel(const struct crossing_case *c, const struct dtx_machine *machine,
       enum dtx_strategy strategy)
{
    int nodes[64];
    struct dtx_plan_options options = {.strategy = strategy,
                                       .process_count = c->process_count,
                                       .memory_bytes = 1 << 28,
                                       .map = DTX_MAP_BLOCK,
                                       .nodes = nodes,
                                       .machine = machine};
    struct layout_case text = {.tensor_count = 1,
                               .tensors = {{.name = "a",
                                            .target_name = "a",
                                            .ndim = 2,
                                            .shape = {SIDE, SIDE},
                                            .src_dtype = DTX_FLOAT64,
                                            .dst_dtype = DTX_FLOAT64}}};
    struct planned p;
    double seconds;

    for (int i = 0; i < c->process_count; i++) {
        nodes[i] = i / c->each;
    }
    dtx_text_add(&text.source, c->source);
    dtx_text_add(&text.target, c->target);
    planned_begin(&p, &text, &options);
    so(p.status == DTX_OK);
    seconds = dtx_plan_strategy_cost(p.plan, strategy)->stages.travel;
    planned_finish(&p);
    layout_case_finish(&text);
    return seconds;
}

/* Links of 1 MB/s between nodes of which messages within take no time. */
static struct dtx_machine
slow_links(void)
{
    struct dtx_machine machine = *dtx_machine_default();

    machine.network_rate = 1e6;
    machine.message_rate = 1e15;
    return machine;
}

static void
expect_crossings(const struct crossing_case *c, enum dtx_strategy strategy,
                 double least, double most)
{
    struct dtx_machine machine = slow_links();
    double crossings = travel(c, &machine, strategy) * 1e6 / BYTES;

    claim(crossings >= least && crossings <= most, "%.3f crossings of %s -> %s",
          crossings, c->source, c->target);
}

Test(crossings, of_what_relays_pass_on_within_nodes_are_not_counted)
{
    static const struct crossing_case cases[] = {
        {FROM("x: 1", ""), TO("x: 8", ""), 8, 4},
        {FROM("x: 1", ""), TO("x: 16", ""), 16, 2},
        {FROM("x: 1", ""), TO("x: 64", ""), 64, 8},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_crossings(&cases[i], DTX_STRATEGY_OPTIMAL, 0.99, 1.1);
    }
}

Test(crossings, are_none_where_each_node_rearranges_what_it_has)
{
    static const struct crossing_case inside = {
        FROM("dp: 4, tp: 2", "dp: shard(0), tp: shard(1)"),
        TO("dp: 4, tp: 2", "dp: shard(0), tp: shard(0)"), 8, 2};

    expect_crossings(&inside, DTX_STRATEGY_OPTIMAL, 0, 1e-6);
    expect_crossings(&inside, DTX_STRATEGY_REDISTRIBUTE, 0, 1e-6);
}

Test(crossings, are_all_that_moves_where_each_node_has_one_process)
{
    static const struct crossing_case apart = {FROM("x: 4", "x: shard(0)"),
                                               TO("x: 4", "x: shard(1)"), 4, 1};

    expect_crossings(&apart, DTX_STRATEGY_OPTIMAL, 3.0 / 16, 3.0 / 16 + 0.01);
    expect_crossings(&apart, DTX_STRATEGY_DIRECT, 0, 0);
}
