#include "plan/step/schedule.h"
#include "simulation.h"
#include "util/math.h"

/* Layouts of one tensor that several processes hold. */
struct shared_case {
    const char *source, *target; /* mesh, path and placements */
    int64_t shape[2];
    int process_count;
};

#define REPLICAS(placements)                                                   \
    "mesh: {dp: 4, tp: 2}\ncheckpoint: {path: \"s/{rank}.h5\"}\n"              \
    "tensors:\n  - {name: a, placements: " placements "}\n"
#define TARGET(mesh, placements)                                               \
    "mesh: {" mesh "}\ncheckpoint: {path: \"t/{rank}.h5\"}\n"                  \
    "tensors:\n  - {name: a, placements: " placements "}\n"

#define TERMS(placements)                                                      \
    "mesh: {p: 2, dp: 2, tp: 2}\ncheckpoint: {path: \"s/{rank}.h5\"}\n"        \
    "tensors:\n  - {name: a, placements: " placements "}\n"

/* Large enough that a transfer is worth several senders. */
static const struct shared_case cases[] = {
    {REPLICAS("{}"), TARGET("x: 3", "[S(0)]"), {400, 301}, 8},
    {REPLICAS("{tp: S(0)}"), TARGET("x: 2, y: 2", "{y: S(1)}"), {400, 300}, 8},
    {REPLICAS("{tp: S(1)}"), TARGET("x: 12", "[S(0)]"), {256, 500}, 12},
    {REPLICAS("{tp: S(1)}"), TARGET("x: 5", "[R]"), {2, 100}, 8},
    {REPLICAS("{tp: \"_S(0, 3)\"}"), TARGET("x: 2", "[S(0)]"), {500, 300}, 5},
};

/* Of few rows a share has fewer still, so that columns are cut, too. */
static const struct shared_case of_few_rows[] = {
    {REPLICAS("{}"), TARGET("x: 11", "[R]"), {64, 1000}, 11},
    {REPLICAS("{tp: S(1)}"), TARGET("x: 11", "[R]"), {100, 1000}, 11},
    {REPLICAS("{}"), TARGET("x: 3", "[S(1)]"), {70, 1000}, 8},
};

/* One process holds both copies of one term, several hold those of another. */
static const struct shared_case terms_unlike[] = {
    {TERMS("{p: P(sum), tp: S(0)}"), TARGET("x: 1", "[R]"), {400, 301}, 3},
    {TERMS("{p: P(max), tp: S(1)}"), TARGET("x: 2", "[S(0)]"), {400, 300}, 5},
    {TERMS("{p: P(sum)}"), TARGET("x: 3", "[R]"), {256, 500}, 7},
};

/* Elements of the longest share of a transfer in a dim. */
static int64_t
longest_share(const struct dtx_class *c, int dim)
{
    const struct dtx_overlap *o = c->overlaps[dim];
    int64_t longest = 1;

    for (int shard = 0; shard < c->src->shard_count; shard++) {
        int count = dim == c->split_dim ? dtx_class_share_count(c, shard) : 1;

        for (int i = 0; i < o->pair_count; i++) {
            longest = dtx_max(longest, dtx_ceil_div(o->pairs[i].length, count));
        }
    }
    return longest;
}

/* More parts than a share has elements would be steps for nothing. */
static void
check_parts(const struct planned *p)
{
    const struct dtx_schedule *s = p->plan->schedule;

    for (int i = 0; i < p->plan->class_count; i++) {
        const struct dtx_class *c = s->classes[i];

        for (int dim = 0; dim < c->ndim && !dtx_class_has_slabs(c); dim++) {
            so(s->parts[i].counts[dim] <= longest_share(c, dim));
        }
    }
}

static int64_t
largest_share(const struct planned *p)
{
    int64_t most = 0;

    for (int i = 0; i < p->plan->class_count; i++) {
        most = p->plan->classes[i]->share_count > most
                   ? p->plan->classes[i]->share_count
                   : most;
    }
    return most;
}

static void
run_case(const struct shared_case *c, uint64_t memory,
         void (*work)(const struct planned *p), int64_t *most_shares)
{
    struct dtx_plan_options options = {.strategy = DTX_STRATEGY_OPTIMAL,
                                       .process_count = c->process_count,
                                       .memory_bytes = memory,
                                       .map = DTX_MAP_BLOCK};
    struct layout_case text = {.tensor_count = 1,
                               .tensors = {{.name = "a",
                                            .target_name = "a",
                                            .ndim = 2,
                                            .src_dtype = DTX_FLOAT64,
                                            .dst_dtype = DTX_FLOAT64}}};
    struct planned p;

    memcpy(text.tensors[0].shape, c->shape, sizeof c->shape);
    dtx_text_add(&text.source, c->source);
    dtx_text_add(&text.target, c->target);
    planned_begin(&p, &text, &options);
    so(p.status == DTX_OK);
    work(&p);
    if (largest_share(&p) > *most_shares) {
        *most_shares = largest_share(&p);
    }
    planned_finish(&p);
    layout_case_finish(&text);
}

Test(shares, of_terms_are_cut_alike_however_many_hold_each, .timeout = 300)
{
    size_t count = sizeof terms_unlike / sizeof terms_unlike[0];
    int64_t most_shares = 0;

    for (size_t i = 0; i < count; i++) {
        run_case(&terms_unlike[i], 64 << 20, simulate, &most_shares);
        run_case(&terms_unlike[i], 256 << 10, simulate, &most_shares);
    }
    claim(most_shares > 1);
}

Test(shares, of_replicas_bring_everything_once, .timeout = 300)
{
    int64_t most_shares = 0;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(&cases[i], 64 << 20, simulate, &most_shares);
        run_case(&cases[i], 256 << 10, simulate, &most_shares);
    }
    claim(most_shares > 2);
}

Test(shares, are_cut_into_no_more_parts_than_they_have_elements)
{
    size_t count = sizeof of_few_rows / sizeof of_few_rows[0];
    int64_t most_shares = 0;

    for (size_t i = 0; i < count; i++) {
        run_case(&of_few_rows[i], 16 << 10, check_parts, &most_shares);
        run_case(&of_few_rows[i], 64 << 10, check_parts, &most_shares);
    }
    claim(most_shares > 2);
}
