#include "plan/weigh/scale.h"

#include <string.h>

#include "plan/weigh/totals.h"
#include "util/alloc.h"
#include "util/sort.h"

/* As many as the highest number says. */
static int
count_nodes(const struct dtx_plan *plan)
{
    int last = 0, i;

    for (i = 0; i < plan->options.process_count && plan->nodes != NULL; i++) {
        last = plan->nodes[i] > last ? plan->nodes[i] : last;
    }
    return last + 1;
}

int
dtx_scale_begin(struct dtx_scale *scale, const struct dtx_plan *plan)
{
    size_t count = (size_t)plan->options.process_count;

    *scale = (struct dtx_scale){.plan = plan, .site = dtx_site_of(plan)};
    scale->crossings = dtx_crossings_begin(plan, count_nodes(plan));
    scale->costs = dtx_alloc(count, sizeof *scale->costs);
    scale->works = dtx_alloc(count, sizeof *scale->works);
    scale->site.node_works =
        dtx_alloc((size_t)count_nodes(plan), sizeof *scale->site.node_works);
    scale->concerned = dtx_alloc(count, sizeof *scale->concerned);
    scale->is_concerned = dtx_alloc(count, sizeof *scale->is_concerned);
    return scale->costs == NULL || scale->works == NULL ||
                   scale->site.node_works == NULL || scale->concerned == NULL ||
                   scale->is_concerned == NULL
               ? -1
               : 0;
}

void
dtx_scale_finish(struct dtx_scale *scale)
{
    dtx_free(scale->costs);
    dtx_free(scale->works);
    dtx_free(scale->site.node_works);
    dtx_free(scale->concerned);
    dtx_free(scale->is_concerned);
}

/* Takes off what is on the scale. */
static void
scale_clear(struct dtx_scale *scale)
{
    int i;

    for (i = 0; i < scale->concerned_count; i++) {
        int process = scale->concerned[i];

        scale->costs[process] = (struct dtx_process_cost){0};
        scale->works[process] = (struct dtx_work){0};
        scale->is_concerned[process] = false;
    }
    scale->concerned_count = 0;
}

static void
concern(struct dtx_scale *scale, const struct dtx_side *side)
{
    int i;

    for (i = 0; i < side->use_count; i++) {
        int process = side->uses[i].process;

        if (!scale->is_concerned[process]) {
            scale->is_concerned[process] = true;
            scale->concerned[scale->concerned_count++] = process;
        }
    }
}

static int
compare_processes(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;

    return a < b ? -1 : a > b;
}

/* Lists the processes that a class concerns in any of its rounds. */
static void
list_concerned(struct dtx_scale *scale, const struct dtx_class *c)
{
    const struct dtx_class *round;

    concern(scale, c->final);
    for (round = c; round != NULL; round = round->next) {
        concern(scale, round->src);
        concern(scale, round->dst);
    }
    dtx_sort(scale->concerned, (size_t)scale->concerned_count,
             sizeof *scale->concerned, compare_processes);
}

int
dtx_scale_put(struct dtx_scale *scale, struct dtx_class *c)
{
    int i;

    scale_clear(scale);
    dtx_plan_show_progress(scale->plan, ++scale->put_count);
    list_concerned(scale, c);
    if (dtx_class_add_costs(scale->plan, c, c->instance_count, scale->costs) !=
        0) {
        return -1;
    }
    c->moved = c->kept = 0;
    for (i = 0; i < scale->concerned_count; i++) {
        int process = scale->concerned[i];

        scale->works[process].bytes = scale->costs[process];
        c->moved += scale->costs[process].received;
        c->kept += scale->costs[process].kept;
    }
    dtx_crossings_set(&scale->crossings, scale->plan, c, scale->concerned,
                      scale->concerned_count, scale->works);
    dtx_cost_add_work(scale->plan, c, scale->concerned, scale->concerned_count,
                      scale->works);
    return 0;
}

double
dtx_scale_class_seconds(const struct dtx_scale *scale)
{
    return dtx_cost_seconds(&scale->site, scale->works, scale->concerned,
                            scale->concerned_count, 0, NULL);
}

double
dtx_scale_seconds(const struct dtx_scale *scale, const struct dtx_work *works,
                  int64_t step_count, struct dtx_stage_seconds *stages_out)
{
    return dtx_cost_seconds(&scale->site, works, NULL,
                            scale->site.process_count, step_count, stages_out);
}
