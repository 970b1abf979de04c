#include "planned.h"

/* Which elements (of which terms) of one tensor a process has or needs. */
struct elements {
    int64_t count; /* of all terms */
    bool *are_in;  /* [count] */
};

static struct elements
no_elements(const struct planned *p, int tensor)
{
    struct elements e = {scene_element_count(&p->scene, tensor) *
                             scene_term_count(&p->scene, SCENE_SOURCE, tensor),
                         NULL};

    e.are_in = calloc((size_t)e.count + 1, sizeof *e.are_in);
    return e;
}

/* Adds what a position's shard holds; term -1: of all terms. */
static void
add_shard(const struct planned *p, int side, int tensor, int position, int term,
          struct elements *e)
{
    int64_t elements = scene_element_count(&p->scene, tensor);
    int terms = scene_term_count(&p->scene, SCENE_SOURCE, tensor);
    static struct shard shard;

    scene_shard(&p->scene, side, tensor, position, &shard);
    for (int64_t i = 0; i < shard.count; i++) {
        int64_t element = scene_element(&p->scene, tensor, &shard, i);

        for (int t = 0; t < terms && element >= 0; t++) {
            e->are_in[t * elements + element] |= term < 0 || term == t;
        }
    }
}

static struct elements
needed(const struct planned *p, int tensor, int process)
{
    struct elements e = no_elements(p, tensor);
    int positions = p->scene.layouts[SCENE_TARGET]->mesh.position_count;

    for (int i = 0; i < positions; i++) {
        if (p->plan->dst_process[i] == process && planned_needs(p, tensor, i)) {
            add_shard(p, SCENE_TARGET, tensor, i, -1, &e);
        }
    }
    return e;
}

static struct elements
held(const struct planned *p, int tensor, int process)
{
    struct elements e = no_elements(p, tensor);
    int positions = p->scene.layouts[SCENE_SOURCE]->mesh.position_count;

    for (int i = 0; i < positions; i++) {
        if (p->plan->src_process[i] == process &&
            scene_holds(&p->scene, SCENE_SOURCE, tensor, i)) {
            add_shard(p, SCENE_SOURCE, tensor, i,
                      scene_term(&p->scene, SCENE_SOURCE, tensor, i), &e);
        }
    }
    return e;
}

/* ---------------------------------------------------------------- moving */

/* What a process needs in all tensors, and has of it. */
struct sums {
    uint64_t needed, kept; /* bytes on the wire */
    uint64_t needed_read;  /* bytes in the source */
};

static struct sums
sum_process(const struct planned *p, int process)
{
    struct sums s = {0};

    for (int tensor = 0; tensor < p->text->tensor_count; tensor++) {
        struct elements needs = needed(p, tensor, process);
        struct elements has = held(p, tensor, process);
        uint64_t wire = planned_wire_bytes(p, tensor);

        for (int64_t i = 0; i < needs.count; i++) {
            s.needed += needs.are_in[i] * wire;
            s.kept += (needs.are_in[i] && has.are_in[i]) * wire;
            s.needed_read += needs.are_in[i] *
                             dtx_dtype_size(p->text->tensors[tensor].src_dtype);
        }
        free(needs.are_in);
        free(has.are_in);
    }
    return s;
}

static void
check_processes(struct planned *p)
{
    bool direct = p->options.strategy == DTX_STRATEGY_DIRECT;
    uint64_t lacking = 0, sent = 0;

    for (int i = 0; i < p->options.process_count; i++) {
        const struct dtx_process_cost *cost = &p->plan->processes[i];
        struct sums s = sum_process(p, i);

        so(cost->kept == (direct ? s.needed : s.kept));
        so(cost->received == (direct ? 0 : s.needed - s.kept));
        so(!direct || cost->read == s.needed_read);
        lacking += s.needed - s.kept;
        sent += cost->sent;
    }
    so(p->plan->totals.moved_at_least == lacking);
    so(p->plan->totals.moved == (direct ? 0 : lacking));
    so(sent == p->plan->totals.moved);
}

/* ---------------------------------------------------------------- writing */

struct written {
    const struct planned *p;
    uint64_t bytes;
};

static void
add_written(const struct scene_dataset *dataset, void *context)
{
    struct written *w = context;
    const struct scene *scene = &w->p->scene;
    bool is_global = scene->layouts[SCENE_TARGET]->view == DTX_VIEW_GLOBAL;
    uint64_t bytes =
        dtx_dtype_size(w->p->text->tensors[dataset->tensor].dst_dtype);
    struct shard shard;
    int64_t count = 0;

    if (!planned_needs(w->p, dataset->tensor, dataset->position)) {
        return;
    }
    scene_shard(scene, SCENE_TARGET, dataset->tensor, dataset->position,
                &shard);
    for (int64_t i = 0; i < shard.count; i++) {
        count += scene_element(scene, dataset->tensor, &shard, i) >= 0;
    }
    w->bytes +=
        bytes * (uint64_t)(is_global
                               ? scene_element_count(scene, dataset->tensor)
                               : count);
}

static void
check_totals(struct planned *p)
{
    const struct dtx_plan_totals *totals = &p->plan->totals;
    struct written w = {p, 0};
    uint64_t logical = 0, read = 0, kept = 0;

    scene_each_dataset(&p->scene, SCENE_TARGET, add_written, &w);
    so(totals->written == w.bytes);
    for (int i = 0; i < p->text->tensor_count; i++) {
        logical += (uint64_t)scene_element_count(&p->scene, i) *
                   dtx_dtype_size(p->text->tensors[i].src_dtype);
    }
    so(totals->logical == logical);
    so(totals->tensor_count == p->text->tensor_count);
    for (int i = 0; i < p->options.process_count; i++) {
        read += p->plan->processes[i].read;
        kept += p->plan->processes[i].kept;
        so(p->plan->processes[i].memory <= p->options.memory_bytes);
    }
    so(totals->read == read && totals->kept == kept);
}

/* ---------------------------------------------------------------- changes */

static void
check_changes(struct planned *p)
{
    uint64_t logical = 0, moved = 0, kept = 0;
    int64_t tensors = 0;

    for (int i = 0; i < dtx_plan_change_count(p->plan); i++) {
        const struct dtx_plan_change *change = dtx_plan_change(p->plan, i);

        so(i == 0 || change->logical <= change[-1].logical);
        logical += change->logical;
        moved += change->moved;
        kept += change->kept;
        tensors += change->tensor_count;
    }
    so(logical == p->plan->totals.logical);
    so(moved == p->plan->totals.moved);
    so(kept == p->plan->totals.kept);
    so(tensors == p->plan->totals.tensor_count);
}

/* What a plan says of another strategy is what that strategy's plan says. */
static void
check_strategies(struct planned *p)
{
    struct dtx_strategy_cost before[DTX_STRATEGY_COUNT];
    struct dtx_plan_options options = p->options;

    memcpy(before, p->plan->costs, sizeof before);
    options.strategy = options.strategy == DTX_STRATEGY_DIRECT
                           ? DTX_STRATEGY_OPTIMAL
                           : DTX_STRATEGY_DIRECT;
    planned_again(p, &options);
    so(p->status == DTX_OK);
    for (int i = 0; i < DTX_STRATEGY_COUNT; i++) {
        const struct dtx_strategy_cost *cost = &p->plan->costs[i];

        so(cost->is_known == before[i].is_known);
        so(cost->read == before[i].read && cost->moved == before[i].moved);
    }
    so(p->plan->costs[options.strategy].read == p->plan->totals.read);
    so(p->plan->costs[options.strategy].moved == p->plan->totals.moved);
}

static void
check(struct planned *p, struct random *random)
{
    (void)random;
    check_processes(p);
    check_totals(p);
    check_changes(p);
    check_strategies(p);
    check_processes(p);
}

Test(totals, are_what_counting_element_by_element_gives, .timeout = 300)
{
    each_random_plan(200, 12, 8, check);
}
