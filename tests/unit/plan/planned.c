#include "planned.h"

#include <stdio.h>
#include <string.h>

#include "plan/weigh/pending.h"

enum { PROCESSES_MOST = 64 };

static const struct planned *now;

static void
make_plan(struct planned *p, const struct dtx_plan_options *options)
{
    p->options = *options;
    p->plan = NULL;
    p->err = (struct dtx_error){0};
    p->status = dtx_plan_create(p->scene.layouts[SCENE_SOURCE],
                                p->scene.layouts[SCENE_TARGET], p->catalog,
                                options, p->scene.list, &p->plan, &p->err);
}

void
planned_begin(struct planned *p, const struct layout_case *text,
              const struct dtx_plan_options *options)
{
    now = p;
    p->text = text;
    p->scene = scene_begin(text);
    p->catalog = scene_catalog(&p->scene, text->tensor_count % 2 == 0);
    make_plan(p, options);
}

void
planned_again(struct planned *p, const struct dtx_plan_options *options)
{
    dtx_plan_destroy(p->plan);
    make_plan(p, options);
}

void
planned_finish(struct planned *p)
{
    dtx_plan_destroy(p->plan);
    dtx_catalog_destroy(p->catalog);
    scene_finish(&p->scene);
}

const char *
planned_now(void)
{
    static char text[16384];
    const struct planned *p = now;
    char *drawn = dtx_diagnostics_draw(p->scene.list);
    int used =
        snprintf(text, sizeof text,
                 "%s (%s)\n%s\n# source\n%s# target\n%s# %s, %s, %d processes, "
                 "%llu bytes\n",
                 p->err.message, p->err.tensor, drawn, p->text->source.data,
                 p->text->target.data, dtx_strategy_name(p->options.strategy),
                 dtx_map_name(p->options.map), p->options.process_count,
                 (unsigned long long)p->options.memory_bytes);

    for (int i = 0; i < p->text->tensor_count; i++) {
        const struct case_tensor *t = &p->text->tensors[i];

        used += snprintf(
            text + used, sizeof text - (size_t)used, "# %s %s -> %s [", t->name,
            dtx_dtype_name(t->src_dtype), dtx_dtype_name(t->dst_dtype));
        for (int dim = 0; dim < t->ndim; dim++) {
            used += snprintf(text + used, sizeof text - (size_t)used, " %lld",
                             (long long)t->shape[dim]);
        }
        used += snprintf(text + used, sizeof text - (size_t)used, " ]\n");
    }
    dtx_string_free(drawn);
    return text;
}

struct dtx_plan_options
random_options(struct random *random, int processes_most)
{
    struct dtx_plan_options options = {
        .strategy = random_below(random, 3) == 0 ? DTX_STRATEGY_DIRECT
                                                 : DTX_STRATEGY_OPTIMAL,
        .process_count =
            1 + (int)random_below(random, (uint64_t)processes_most),
        .memory_bytes = 1 << 20,
        .map = random_below(random, 2) == 0 ? DTX_MAP_BLOCK : DTX_MAP_CYCLIC};
    static int nodes[PROCESSES_MOST];
    uint64_t most = (uint64_t)options.process_count;
    uint64_t node_count = 1 + random_below(random, most < 5 ? most : 5);

    for (int i = 0; i < options.process_count; i++) {
        nodes[i] = (int)random_below(random, node_count);
    }
    options.nodes = random_below(random, 3) > 0 ? nodes : NULL;
    return options;
}

bool
planned_shares_terms(const struct planned *p)
{
    for (int i = 0; i < p->plan->class_count; i++) {
        if (dtx_pending_is_shared(p->plan->classes[i]->optimal)) {
            return true;
        }
    }
    return false;
}

void
each_random_plan(int count, int positions_most, int processes_most,
                 plan_check *check)
{
    struct random random = random_begin();

    for (int i = 0; i < count; i++) {
        struct dtx_plan_options options =
            random_options(&random, processes_most);
        struct layout_case text;
        struct planned p;

        layout_case_make(&random, positions_most, &text);
        planned_begin(&p, &text, &options);
        so(p.status == DTX_OK);
        if (!planned_shares_terms(&p)) {
            check(&p, &random);
        }
        planned_finish(&p);
        layout_case_finish(&text);
    }
}

int
planned_case_tensor(const struct planned *p, int tensor)
{
    int found = -1;

    for (int i = 0; i < p->text->tensor_count; i++) {
        if (strcmp(p->text->tensors[i].name,
                   p->plan->tensors[tensor].src_name) == 0) {
            found = i;
        }
    }
    so(found >= 0);
    return found;
}

bool
planned_needs(const struct planned *p, int tensor, int position)
{
    const struct dtx_rule *rule = scene_rule(&p->scene, SCENE_TARGET, tensor);
    const struct dtx_mesh *mesh = &p->scene.layouts[SCENE_TARGET]->mesh;

    for (int i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *placement = &rule->placements[i];

        if (placement->kind == DTX_PARTIAL &&
            (placement->op == DTX_SUM || placement->op == DTX_PRODUCT) &&
            dtx_mesh_coordinate(mesh, position, placement->axis) != 0) {
            return false;
        }
    }
    return scene_holds(&p->scene, SCENE_TARGET, tensor, position);
}

uint64_t
planned_wire_bytes(const struct planned *p, int tensor)
{
    const struct case_tensor *t = &p->text->tensors[tensor];
    size_t src = dtx_dtype_size(t->src_dtype);
    size_t dst = dtx_dtype_size(t->dst_dtype);

    return scene_term_count(&p->scene, SCENE_SOURCE, tensor) > 1 || src < dst
               ? src
               : dst;
}
