#include <limits.h>

#include "plan/send/level.h"
#include "planned.h"

/* What others need of the shards of one plan, and who can send it. */
struct demand {
    int shard_count;
    int64_t bytes[64];
    uint64_t holders[64]; /* a bit a process */
};

/* most  how often a holder must send an element at most */
static void
add_demand(const struct dtx_class *c, int most, struct demand *d)
{
    for (int shard = 0; shard < c->src->shard_count; shard++) {
        struct dtx_walk walk;
        int64_t elements = 0;

        dtx_walk_begin(&walk, c, true, shard);
        while (dtx_walk_next(&walk)) {
            int lackers = 0;

            for (int i = c->dst->process_first[walk.other];
                 i < c->dst->process_first[walk.other + 1]; i++) {
                lackers += dtx_side_find_use(c->src, c->dst->processes[i],
                                             shard) == NULL;
            }
            elements +=
                dtx_walk_elements(&walk) * (lackers < most ? lackers : most);
        }
        for (int i = c->src->process_first[shard];
             i < c->src->process_first[shard + 1]; i++) {
            d->holders[d->shard_count] |= UINT64_C(1) << c->src->processes[i];
        }
        d->bytes[d->shard_count++] =
            elements * (int64_t)c->wire_bytes * c->instance_count;
    }
}

/*
 * What the busiest sender sends at least: by max-flow and min-cut the largest,
 * over all sets of shards, of what is needed of them over who can send it.
 */
static double
flow_bound(const struct demand *d)
{
    double bound = 0;

    for (int set = 1; set < 1 << d->shard_count; set++) {
        uint64_t holders = 0;
        double bytes = 0;

        for (int i = 0; i < d->shard_count; i++) {
            if (set >> i & 1) {
                holders |= d->holders[i];
                bytes += (double)d->bytes[i];
            }
        }
        bytes /= __builtin_popcountll(holders);
        bound = bytes > bound ? bytes : bound;
    }
    return bound;
}

static const char *
random_placement(struct random *random)
{
    static const char *const placements[] = {"S(0)", "S(1)", "R", "R"};

    return placements[random_below(random, 4)];
}

static void
add_layout(struct random *random, const char *folder, struct dtx_text *text)
{
    dtx_text_format(text,
                    "mesh: {a: %d, b: %d}\n"
                    "checkpoint: {path: \"%s/{rank}.h5\"}\n"
                    "tensors:\n  - {name: t, placements: [%s, %s]}\n",
                    1 + (int)random_below(random, 4),
                    1 + (int)random_below(random, 3), folder,
                    random_placement(random), random_placement(random));
}

static uint64_t
most_of(const struct planned *p, bool received)
{
    uint64_t most = 0;

    for (int i = 0; i < p->options.process_count; i++) {
        const struct dtx_process_cost *cost = &p->plan->processes[i];
        uint64_t bytes = received ? cost->received : cost->sent;

        most = bytes > most ? bytes : most;
    }
    return most;
}

/* With relays nobody sends twice what one gets, or what must be sent once. */
static void
check_relays(const struct planned *p, uint64_t busiest)
{
    double most = (double)most_of(p, true), bound;
    struct demand d = {0};

    add_demand(p->plan->classes[0], 1, &d);
    bound = flow_bound(&d);
    most = most > bound ? most : bound;
    claim((double)busiest < 2 * most,
          "the busiest sends %llu bytes, where %.0f would do\n%s",
          (unsigned long long)busiest, most, planned_now());
}

static void
check_busiest(const struct planned *p)
{
    uint64_t busiest = most_of(p, false);
    struct demand d = {0};
    double bound;

    add_demand(p->plan->classes[0], INT_MAX, &d);
    bound = flow_bound(&d);
    if (p->plan->classes[0]->relays != NULL) {
        check_relays(p, busiest);
    } else {
        so((double)busiest >= bound - 1);
    }
    claim((double)busiest <= 1.05 * bound,
          "the busiest sends %llu bytes, %.0f would do\n%s",
          (unsigned long long)busiest, bound, planned_now());
    so(p->plan->certificate.busiest.at_least <=
       p->plan->certificate.busiest.bytes);
}

Test(senders, are_loaded_within_5_percent_of_what_flows_allow, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 300; i++) {
        struct dtx_plan_options options = {
            .strategy = DTX_STRATEGY_OPTIMAL,
            .process_count = 1 + (int)random_below(&random, 9),
            .memory_bytes = 1 << 26,
            .map =
                random_below(&random, 2) == 0 ? DTX_MAP_BLOCK : DTX_MAP_CYCLIC};
        struct layout_case text = {.tensor_count = 1,
                                   .tensors = {{.name = "t",
                                                .target_name = "t",
                                                .ndim = 3,
                                                .shape = {1008, 720, 16},
                                                .src_dtype = DTX_FLOAT64,
                                                .dst_dtype = DTX_FLOAT64}}};
        struct planned p;

        add_layout(&random, "s", &text.source);
        add_layout(&random, "t", &text.target);
        planned_begin(&p, &text, &options);
        so(p.status == DTX_OK);
        check_busiest(&p);
        planned_finish(&p);
        layout_case_finish(&text);
    }
}

/* ---------------------------------------------------------------- nodes */

static void
check_nodes(const struct planned *p)
{
    const int *nodes = p->options.nodes;
    const struct dtx_class *c = p->plan->classes[0];

    for (int shard = 0; shard < c->src->shard_count; shard++) {
        struct dtx_walk walk;

        dtx_walk_begin(&walk, c, true, shard);
        while (dtx_walk_next(&walk)) {
            int first = c->dst->process_first[walk.other];

            for (int i = first; i < c->dst->process_first[walk.other + 1];
                 i++) {
                int receiver = c->dst->processes[i];
                bool can_be_near = false;

                if (dtx_side_find_use(c->src, receiver, shard) != NULL) {
                    continue;
                }
                for (int h = c->src->process_first[shard];
                     h < c->src->process_first[shard + 1]; h++) {
                    can_be_near |=
                        nodes[c->src->processes[h]] == nodes[receiver];
                }
                for (int k = 0; k < dtx_class_share_count(c, shard); k++) {
                    struct dtx_share share = dtx_class_share(
                        c, shard, walk.other, i - first, k, 1000);

                    so(!can_be_near || nodes[share.process] == nodes[receiver]);
                }
            }
        }
    }
}

Test(senders, on_the_receivers_node_come_first, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 200; i++) {
        int nodes[12];
        struct dtx_plan_options options = {
            .strategy = DTX_STRATEGY_OPTIMAL,
            .process_count = 1 + (int)random_below(&random, 12),
            .memory_bytes = 1 << 26,
            .map = DTX_MAP_CYCLIC,
            .nodes = nodes};
        struct layout_case text = {.tensor_count = 1,
                                   .tensors = {{.name = "t",
                                                .target_name = "t",
                                                .ndim = 2,
                                                .shape = {1000, 504},
                                                .src_dtype = DTX_FLOAT64,
                                                .dst_dtype = DTX_FLOAT64}}};
        struct planned p;

        for (int k = 0; k < 12; k++) {
            nodes[k] = (int)random_below(&random, 3);
        }
        add_layout(&random, "s", &text.source);
        add_layout(&random, "t", &text.target);
        planned_begin(&p, &text, &options);
        so(p.status == DTX_OK);
        check_nodes(&p);
        planned_finish(&p);
        layout_case_finish(&text);
    }
}

/* ---------------------------------------------------------------- levels */

Test(level, fills_the_least_loaded_up_to_one_height)
{
    struct random random = random_begin();

    for (int i = 0; i < 2000; i++) {
        struct dtx_level_part parts[9];
        int count = 1 + (int)random_below(&random, 9);
        int64_t total = (int64_t)random_below(&random, 1000), sum = 0;
        int64_t highest = -1, lowest = INT64_MAX;

        for (int k = 0; k < count; k++) {
            parts[k] = (struct dtx_level_part){
                (int64_t)random_below(&random, 200), -1, k, k};
        }
        dtx_level(parts, count, total);
        for (int k = 0; k < count; k++) {
            int64_t height = parts[k].load + parts[k].amount;

            claim(parts[k].amount >= 0, "a part takes something away");
            sum += parts[k].amount;
            highest =
                parts[k].amount > 0 && height > highest ? height : highest;
            lowest = height < lowest ? height : lowest;
        }
        claim(sum == total, "%lld of %lld", (long long)sum, (long long)total);
        claim(highest <= lowest + 1, "%lld and %lld", (long long)lowest,
              (long long)highest);
    }
}
