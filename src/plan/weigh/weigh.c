#include "plan/weigh/weigh.h"

#include <string.h>

#include "plan/send/relay.h"
#include "plan/send/senders.h"
#include "plan/weigh/bound.h"
#include "plan/weigh/reach.h"
#include "plan/weigh/route.h"
#include "plan/weigh/scale.h"
#include "plan/weigh/totals.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/sort.h"

/* All tensors of a plan under one strategy. */
struct way {
    struct dtx_class **classes;          /* [class_count] */
    struct dtx_tensor_cost *class_costs; /* [class_count] of each alone */
    struct dtx_schedule *schedule;
    enum dtx_status status; /* of the schedule */
    struct dtx_error error;
    struct dtx_process_cost *costs; /* [process_count] */
    struct dtx_work *works;         /* [process_count] */
    double seconds;
    struct dtx_stage_seconds stages;
};

/* ---------------------------------------------------------------- ways */

static void
add_cost(struct dtx_process_cost *sum, const struct dtx_process_cost *cost)
{
    sum->read += cost->read;
    sum->kept += cost->kept;
    sum->passed += cost->passed;
    sum->sent += cost->sent;
    sum->received += cost->received;
    sum->written += cost->written;
}

/* Adds what is on the scale to a way. */
static void
add_to_way(const struct dtx_scale *scale, struct way *way)
{
    int i;

    for (i = 0; i < scale->concerned_count; i++) {
        int process = scale->concerned[i];
        const struct dtx_work *w = &scale->works[process];

        add_cost(&way->costs[process], &w->bytes);
        add_cost(&way->works[process].bytes, &w->bytes);
        dtx_cost_sum(&way->works[process], w);
    }
}

static int
way_begin(struct way *way, struct dtx_plan *plan)
{
    size_t count = (size_t)plan->options.process_count;

    *way = (struct way){0};
    way->classes = dtx_arena_alloc(&plan->arena, (size_t)plan->class_count,
                                   sizeof(struct dtx_class *));
    way->costs = dtx_arena_alloc(&plan->arena, count, sizeof *way->costs);
    way->works = dtx_alloc(count, sizeof *way->works);
    way->class_costs = dtx_arena_alloc(&plan->arena, (size_t)plan->class_count,
                                       sizeof *way->class_costs);
    return way->classes == NULL || way->costs == NULL || way->works == NULL ||
                   way->class_costs == NULL
               ? -1
               : 0;
}

static void
way_finish(struct way *way)
{
    dtx_free(way->works);
}

/* The most a process needs: a step or two, what it keeps between rounds, and
 * two stages; less where all it does is smaller than a step. */
static uint64_t
process_memory(const struct dtx_schedule *s, const struct dtx_process_cost *p)
{
    uint64_t work = p->kept + p->passed + p->sent + p->received;
    uint64_t slot = work < s->step_bytes ? work : s->step_bytes;
    uint64_t slots = s->step_count > 1 ? 2 : 1;

    return work == 0 ? 0
                     : slot * slots + dtx_schedule_store_bytes(s, work) +
                           2 * s->stage_bytes;
}

/* Schedules a way whose classes and costs are set. */
static enum dtx_status
schedule(struct way *way, struct dtx_plan *plan, const struct dtx_scale *scale)
{
    int count = plan->options.process_count, i;

    way->status =
        dtx_schedule_create(plan, way->classes, &way->schedule, &way->error);
    if (way->status == DTX_OK) {
        for (i = 0; i < count; i++) {
            way->costs[i].memory =
                process_memory(way->schedule, &way->costs[i]);
        }
        way->seconds =
            dtx_scale_seconds(scale, way->works, way->schedule->step_count,
                              &way->stages) +
            scale->setup_seconds;
        way->stages.setup = scale->setup_seconds;
    }
    return way->status == DTX_ERR_LIMIT ? DTX_OK : way->status;
}

/* Finds who sends, and what each class costs. */
static int
weigh_classes(struct dtx_plan *plan, struct dtx_scale *scale, struct way *way)
{
    int i;

    if (dtx_senders_assign(plan, way->classes) != 0) {
        return -1;
    }
    for (i = 0; i < plan->class_count; i++) {
        if (dtx_is_unwanted(&plan->options) ||
            dtx_scale_put(scale, way->classes[i]) != 0) {
            return -1;
        }
        way->class_costs[i] = (struct dtx_tensor_cost){
            false, way->classes[i]->instance_count, way->classes[i]->moved,
            dtx_scale_class_seconds(scale)};
        add_to_way(scale, way);
    }
    return 0;
}

/* Lets relays pass on what would be sent too often. */
static int
add_relays(struct dtx_plan *plan, struct dtx_scale *scale, struct way *way)
{
    size_t count = (size_t)plan->options.process_count;
    int changed = dtx_relays_choose(plan, way->classes, way->costs);

    if (changed <= 0) {
        return changed;
    }
    memset(way->costs, 0, count * sizeof *way->costs);
    memset(way->works, 0, count * sizeof *way->works);
    return weigh_classes(plan, scale, way);
}

/* All tensors under one strategy. */
static enum dtx_status
try_strategy(struct dtx_plan *plan, enum dtx_strategy strategy,
             struct dtx_scale *scale, struct way *way)
{
    int i;

    if (way_begin(way, plan) != 0) {
        return dtx_error_memory(&way->error);
    }
    for (i = 0; i < plan->class_count; i++) {
        way->classes[i] = dtx_route_class(plan, plan->classes[i], strategy);
        if (way->classes[i] == NULL || dtx_is_unwanted(&plan->options)) {
            return dtx_error_memory(&way->error);
        }
    }
    way->status =
        dtx_reach_check_way(plan, strategy, way->classes, &way->error);
    if (way->status != DTX_OK) { /* the others may do */
        return DTX_OK;
    }
    if (weigh_classes(plan, scale, way) != 0 ||
        ((strategy == DTX_STRATEGY_OPTIMAL ||
          strategy == DTX_STRATEGY_MATERIALIZE) &&
         add_relays(plan, scale, way) != 0)) {
        return dtx_error_memory(&way->error);
    }
    return schedule(way, plan, scale);
}

/* ---------------------------------------------------------------- choosing */

/* The strategy under which a class takes the least time; some way fits. */
static int
choose_strategy(const struct way *ways, int index)
{
    int s, best = -1;

    for (s = DTX_STRATEGY_AUTO + 1; s < DTX_STRATEGY_COUNT; s++) {
        if (ways[s].status == DTX_OK &&
            (best < 0 || ways[s].class_costs[index].seconds <
                             ways[best].class_costs[index].seconds)) {
            best = s;
        }
    }
    return best;
}

/* The quickest of the ways that fit in the memory, or NULL. */
static struct way *
quickest(struct way *ways)
{
    struct way *best = NULL;
    int s;

    for (s = DTX_STRATEGY_AUTO + 1; s < DTX_STRATEGY_COUNT; s++) {
        if (ways[s].status == DTX_OK &&
            (best == NULL || ways[s].seconds < best->seconds)) {
            best = &ways[s];
        }
    }
    return best;
}

/* Each class the way that suits it best, unless one way suits all. */
static enum dtx_status
mix(struct dtx_plan *plan, struct dtx_scale *scale, struct way *ways)
{
    struct way *mixed = &ways[DTX_STRATEGY_AUTO], *best = quickest(ways);
    int i;

    if (best == NULL) {
        mixed->status = ways[DTX_STRATEGY_OPTIMAL].status;
        mixed->error = ways[DTX_STRATEGY_OPTIMAL].error;
        return DTX_OK;
    }
    if (way_begin(mixed, plan) != 0) {
        return dtx_error_memory(&mixed->error);
    }
    for (i = 0; i < plan->class_count; i++) {
        mixed->classes[i] = ways[choose_strategy(ways, i)].classes[i];
        if (dtx_is_unwanted(&plan->options) ||
            dtx_scale_put(scale, mixed->classes[i]) != 0) {
            return dtx_error_memory(&mixed->error);
        }
        add_to_way(scale, mixed);
    }
    mixed->status = dtx_reach_check_way(plan, DTX_STRATEGY_AUTO, mixed->classes,
                                        &mixed->error);
    if (mixed->status == DTX_OK && schedule(mixed, plan, scale) != DTX_OK) {
        return mixed->error.status;
    }
    if (mixed->status != DTX_OK || mixed->seconds >= best->seconds) {
        way_finish(mixed);
        *mixed = *best;
        mixed->works = NULL;
    }
    return DTX_OK;
}

/* ---------------------------------------------------------------- the plan */

static void
set_cost(const struct dtx_plan *plan, const struct way *way,
         struct dtx_strategy_cost *cost)
{
    int i;

    *cost = (struct dtx_strategy_cost){.is_known = way->status == DTX_OK,
                                       .seconds = way->seconds,
                                       .stages = way->stages};
    for (i = 0; i < plan->options.process_count && cost->is_known; i++) {
        const struct dtx_process_cost *p = &way->costs[i];

        cost->read += p->read;
        cost->moved += p->received;
        cost->memory = p->memory > cost->memory ? p->memory : cost->memory;
    }
}

static void
set_tensor_counts(struct dtx_plan *plan)
{
    int i;

    for (i = 0; i < plan->class_count; i++) {
        const struct dtx_class *c = plan->classes[i];

        plan->costs[c->strategy].tensor_count += c->instance_count;
    }
}

/* Makes a way the plan's. */
static void
take(struct dtx_plan *plan, const struct way *way)
{
    int i;

    plan->classes = way->classes;
    plan->schedule = way->schedule;
    plan->processes = way->costs;
    for (i = 0; i < plan->options.process_count; i++) {
        const struct dtx_process_cost *p = &way->costs[i];

        plan->totals.read += p->read;
        plan->totals.kept += p->kept;
        plan->totals.moved += p->received;
        plan->totals.written += p->written;
    }
    set_tensor_counts(plan);
}

static void
measure(struct dtx_plan *plan)
{
    int i;

    for (i = 0; i < plan->class_count && !dtx_is_unwanted(&plan->options);
         i++) {
        struct dtx_class *c = plan->classes[i];

        dtx_class_measure(c);
        plan->totals.moved_at_least += c->lacking * (uint64_t)c->instance_count;
    }
}

/* Each process can read what it writes only where it may read at all. */
static bool
is_possible(const struct dtx_plan *plan, enum dtx_strategy strategy)
{
    return strategy != DTX_STRATEGY_DIRECT ||
           (!plan->is_memory &&
            dtx_procs_cover(&plan->src_procs, &plan->dst_procs));
}

static enum dtx_status
try_all(struct dtx_plan *plan, struct dtx_scale *scale, struct way *ways,
        struct dtx_error *err)
{
    struct way *chosen = &ways[plan->options.strategy];
    enum dtx_status status = DTX_OK;
    int s;

    for (s = DTX_STRATEGY_AUTO + 1; s < DTX_STRATEGY_COUNT; s++) {
        if (!is_possible(plan, (enum dtx_strategy)s)) {
            ways[s].status = DTX_ERR_INVALID;
        } else if (status == DTX_OK) {
            status = try_strategy(plan, (enum dtx_strategy)s, scale, &ways[s]);
        }
        plan->class_costs[s] = ways[s].class_costs;
    }
    if (status == DTX_OK) {
        status = mix(plan, scale, ways);
    }
    if (status != DTX_OK) {
        return dtx_error_memory(err);
    }
    for (s = 0; s < DTX_STRATEGY_COUNT; s++) {
        set_cost(plan, &ways[s], &plan->costs[s]);
    }
    if (chosen->status != DTX_OK) {
        *err = chosen->error;
        return chosen->status;
    }
    take(plan, chosen);
    return dtx_plan_certify(plan) == 0 ? DTX_OK : dtx_error_memory(err);
}

enum dtx_status
dtx_plan_weigh(struct dtx_plan *plan, struct dtx_error *err)
{
    struct way ways[DTX_STRATEGY_COUNT] = {{0}};
    struct dtx_scale scale;
    enum dtx_status status;
    int s;

    if (dtx_scale_begin(&scale, plan) != 0 ||
        dtx_cost_setup(scale.site.machine, plan, &scale.setup_seconds) != 0) {
        dtx_scale_finish(&scale);
        return dtx_error_memory(err);
    }
    measure(plan);
    status = try_all(plan, &scale, ways, err);
    for (s = 0; s < DTX_STRATEGY_COUNT; s++) {
        way_finish(&ways[s]);
    }
    dtx_scale_finish(&scale);
    return status;
}
