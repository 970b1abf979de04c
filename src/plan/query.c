/*
 * What a plan answers.
 */
#include <string.h>

#include "plan/class/describe.h"
#include "plan/plan.h"
#include "util/text.h"

void
dtx_plan_show_progress(const struct dtx_plan *plan, uint64_t weighed)
{
    struct dtx_progress progress = {.bytes_done = weighed,
                                    .bytes_total = DTX_STRATEGY_COUNT *
                                                   (uint64_t)plan->class_count,
                                    .phase = "planning",
                                    .unit = "classes of tensors weighed"};

    /* Some are weighed again, where they go another way then. */
    if (plan->options.progress != NULL && weighed <= progress.bytes_total) {
        plan->options.progress(&progress, plan->options.progress_context);
    }
}

const struct dtx_plan_options *
dtx_plan_options(const struct dtx_plan *plan)
{
    return &plan->options;
}

const struct dtx_plan_totals *
dtx_plan_totals(const struct dtx_plan *plan)
{
    return &plan->totals;
}

const struct dtx_process_cost *
dtx_plan_processes(const struct dtx_plan *plan)
{
    return plan->processes;
}

const int *
dtx_plan_source_processes(const struct dtx_plan *plan)
{
    return plan->src_process;
}

const int *
dtx_plan_target_processes(const struct dtx_plan *plan)
{
    return plan->dst_process;
}

const struct dtx_map_gain *
dtx_plan_map_gain(const struct dtx_plan *plan)
{
    return &plan->gain;
}

const struct dtx_strategy_cost *
dtx_plan_strategy_cost(const struct dtx_plan *plan, enum dtx_strategy strategy)
{
    return &plan->costs[strategy];
}

const struct dtx_plan_certificate *
dtx_plan_certificate(const struct dtx_plan *plan)
{
    return &plan->certificate;
}

int
dtx_plan_change_count(const struct dtx_plan *plan)
{
    return plan->change_count;
}

const struct dtx_plan_change *
dtx_plan_change(const struct dtx_plan *plan, int index)
{
    return &plan->changes[index];
}

int
dtx_plan_tensor_count(const struct dtx_plan *plan)
{
    return plan->tensor_count;
}

void
dtx_plan_tensor(const struct dtx_plan *plan, int index,
                struct dtx_plan_tensor *out)
{
    const struct dtx_tensor *t = &plan->tensors[index];

    *out = (struct dtx_plan_tensor){.name = t->dst_name,
                                    .source_name = t->src_name,
                                    .source_type = t->src_type,
                                    .type = t->dst_type,
                                    .ndim = t->ndim,
                                    .shape = t->shape,
                                    .from = t->from,
                                    .to = t->to,
                                    .alike =
                                        plan->classes[t->class_index]->tensor};
}

int
dtx_plan_find_tensor(const struct dtx_plan *plan, enum dtx_role role,
                     const char *name)
{
    int i;

    for (i = 0; i < plan->tensor_count; i++) {
        const struct dtx_tensor *t = &plan->tensors[i];

        if (strcmp(name, role == DTX_SOURCE ? t->src_name : t->dst_name) == 0) {
            return i;
        }
    }
    return -1;
}

bool
dtx_plan_shard_shape(const struct dtx_plan *plan, enum dtx_role role,
                     int tensor, int position, int64_t *shape_out)
{
    bool is_source = role == DTX_SOURCE;
    const struct dtx_layout *layout = is_source ? plan->source : plan->target;
    const struct dtx_tensor *t = &plan->tensors[tensor];
    const struct dtx_class *c = plan->classes[t->class_index];
    const struct dtx_side *side = is_source ? c->src : c->final;
    const struct dtx_rule *rule =
        &layout->rules[is_source ? t->src_rule : t->dst_rule];
    struct dtx_arena scratch = {0};
    struct dtx_presence presence;
    struct dtx_error err;
    bool holds;

    /* The side leaves out whoever holds nothing but neutral terms. */
    holds =
        dtx_layout_presence(layout, rule, is_source ? t->src_name : t->dst_name,
                            &scratch, &presence, &err) == DTX_OK &&
        dtx_presence_holds(&presence, &layout->mesh, position);
    dtx_arena_finish(&scratch);
    if (holds) {
        dtx_tiling_local_shape(side->tiling, &layout->mesh, position,
                               shape_out);
    }
    return holds;
}

enum dtx_strategy
dtx_plan_tensor_strategy(const struct dtx_plan *plan, int tensor)
{
    return plan->classes[plan->tensors[tensor].class_index]->strategy;
}

void
dtx_plan_tensor_cost(const struct dtx_plan *plan, int tensor,
                     enum dtx_strategy strategy, struct dtx_tensor_cost *out)
{
    const struct dtx_tensor_cost *costs = plan->class_costs[strategy];

    *out = (struct dtx_tensor_cost){0};
    if (costs != NULL && plan->costs[strategy].is_known) {
        *out = costs[plan->tensors[tensor].class_index];
        out->is_known = true;
    }
}

int
dtx_source_dataset(const struct dtx_layout *layout,
                   const struct dtx_catalog *catalog, const char *name,
                   int position, struct dtx_arena *scratch)
{
    struct dtx_text path = {0};
    const char *stored;
    int dataset = DTX_DATASET_MEMORY;

    dtx_arena_reset(scratch);
    stored = dtx_layout_stored_name(layout, name, position, scratch);
    if (stored != NULL) {
        dtx_template_render(&layout->dataset, &layout->mesh, position, stored,
                            &path);
    }
    if (path.data != NULL && !path.failed) {
        dataset = dtx_catalog_find(catalog, catalog->position_file[position],
                                   path.data);
    }
    dtx_text_finish(&path);
    return dataset;
}

int
dtx_plan_source_dataset(const struct dtx_plan *plan, int tensor, int position)
{
    struct dtx_arena scratch = {0};
    int dataset =
        dtx_source_dataset(plan->source, plan->catalog,
                           plan->tensors[tensor].src_name, position, &scratch);

    dtx_arena_finish(&scratch);
    return dataset;
}
