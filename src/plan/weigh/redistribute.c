#include "plan/weigh/redistribute.h"

#include "plan/weigh/between.h"
#include "plan/weigh/rearrange.h"
#include "util/alloc.h"

/* Who holds the source's shards once all stand on the target's processes. */
struct landing {
    int target_count;
    int *targets;    /* [target_count] processes, ascending */
    bool *is_target; /* [process_count] */
    int *processes;  /* [positions of the source] or -1 */
    bool moves;      /* something has to go there first */
};

static int
landing_begin(struct landing *l, const struct dtx_plan *plan,
              const struct dtx_side *final)
{
    size_t processes = (size_t)plan->options.process_count;
    int i;

    *l = (struct landing){0};
    l->targets = dtx_alloc((size_t) final->use_count, sizeof *l->targets);
    l->is_target = dtx_alloc(processes, sizeof *l->is_target);
    l->processes = dtx_alloc((size_t)plan->source->mesh.position_count,
                             sizeof *l->processes);
    if (l->targets == NULL || l->is_target == NULL || l->processes == NULL) {
        return -1;
    }
    for (i = 0; i < final->use_count; i++) {
        int process = final->uses[i].process;

        if (!l->is_target[process]) {
            l->is_target[process] = true;
            l->targets[l->target_count++] = process;
        }
    }
    return 0;
}

static void
landing_finish(struct landing *l)
{
    dtx_free(l->targets);
    dtx_free(l->is_target);
    dtx_free(l->processes);
}

/* True where no process of the target has the shard. */
static bool
is_away(const struct landing *l, const struct dtx_side *src, int shard)
{
    int i;

    for (i = src->process_first[shard]; i < src->process_first[shard + 1];
         i++) {
        if (l->is_target[src->processes[i]]) {
            return false;
        }
    }
    return true;
}

/* Sets where each source position's shard lands. */
static void
land(struct landing *l, const struct dtx_plan *plan, const struct dtx_side *src)
{
    int64_t away_count = 0, turn = 0;
    int i, shard;

    for (i = 0; i < plan->source->mesh.position_count; i++) {
        int process = plan->src_process[i];

        l->processes[i] = l->is_target[process] ? process : -1;
    }
    for (shard = 0; shard < src->shard_count; shard++) {
        away_count += is_away(l, src, shard);
    }
    for (shard = 0; shard < src->shard_count; shard++) {
        if (is_away(l, src, shard)) {
            int position = src->positions[src->shard_first[shard]];

            l->processes[position] =
                l->targets[turn++ * l->target_count / away_count];
            l->moves |= dtx_side_elements(src, shard) > 0;
        }
    }
}

/* ---------------------------------------------------------------- rounds */

/* The rounds of one class while they are made. */
struct course {
    struct dtx_plan *plan;
    const struct dtx_class *optimal;
    struct dtx_class *first, *last;
    const struct dtx_side *at; /* where the last round ends */
};

/* Adds a round that ends on a side. */
static int
add_round(struct course *course, const struct dtx_side *to)
{
    struct dtx_class *c =
        dtx_class_between(course->plan, course->optimal, course->at, to);

    if (c == NULL || to == NULL) {
        return -1;
    }
    c->strategy = DTX_STRATEGY_REDISTRIBUTE;
    if (course->last != NULL) {
        c->round = course->last->round + 1;
        course->last->next = c;
    } else {
        course->first = c;
    }
    course->last = c;
    course->at = to;
    return 0;
}

/* Adds a round for each stop, on the source's mesh, and the last. */
static int
add_stops(struct course *course)
{
    const struct dtx_class *optimal = course->optimal;
    const struct dtx_tiling *stops[DTX_AXIS_MAX];
    int count = dtx_rearrange(course->plan, optimal, stops);
    int i;

    if (count < 0) {
        return -1;
    }
    for (i = 0; i < count; i++) {
        const struct dtx_side *side =
            dtx_side_create(&course->plan->arena, optimal->src->mesh, stops[i],
                            &optimal->src->presence, course->plan->src_process);

        if (side == NULL || add_round(course, side) != 0) {
            return -1;
        }
    }
    return add_round(course, optimal->final);
}

struct dtx_class *
dtx_redistribute(struct dtx_plan *plan, const struct dtx_class *optimal)
{
    const struct dtx_side *src = optimal->src;
    struct course course = {.plan = plan, .optimal = optimal, .at = src};
    const struct dtx_side *landed = NULL;
    struct landing l;
    int failed = landing_begin(&l, plan, optimal->final);

    if (!failed) {
        land(&l, plan, src);
        landed = dtx_side_create(&plan->arena, src->mesh, src->tiling,
                                 &src->presence, l.processes);
        failed = landed == NULL;
    }
    if (!failed && l.moves) {
        failed = add_round(&course, landed);
    }
    course.at = landed;
    failed = failed || add_stops(&course) != 0;
    landing_finish(&l);
    return failed ? NULL : course.first;
}
