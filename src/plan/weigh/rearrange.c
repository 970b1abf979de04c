#include "plan/weigh/rearrange.h"

#include <string.h>

/* The placements that shard a tensor at one time, outermost first. */
struct state {
    int count;
    struct dtx_placement list[DTX_AXIS_MAX];
};

static struct state
state_of(const struct dtx_rule *rule, int ndim)
{
    struct state state = {0};
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].kind == DTX_SHARD) {
            struct dtx_placement *p = &state.list[state.count++];

            *p = rule->placements[i];
            p->dim += p->dim < 0 ? ndim : 0;
        }
    }
    return state;
}

/* The index of an axis's placement, or -1: it replicates. */
static int
find(const struct state *state, int axis)
{
    int i;

    for (i = 0; i < state->count; i++) {
        if (state->list[i].axis == axis) {
            return i;
        }
    }
    return -1;
}

/* ---------------------------------------------------------------- equality */

/* True where the axis has its target placement. */
static bool
is_done(const struct state *now, const struct state *target, int axis)
{
    int a = find(now, axis), b = find(target, axis);

    if (a < 0 || b < 0) {
        return a == b;
    }
    return dtx_placement_equals(&now->list[a], &target->list[b]);
}

static bool
same_mesh(const struct dtx_plan *plan)
{
    const struct dtx_mesh *a = &plan->source->mesh, *b = &plan->target->mesh;
    int axis;

    if (a->axis_count != b->axis_count) {
        return false;
    }
    for (axis = 0; axis < a->axis_count; axis++) {
        if (a->sizes[axis] != b->sizes[axis] ||
            strcmp(a->names[axis], b->names[axis]) != 0) {
            return false;
        }
    }
    return memcmp(plan->src_process, plan->dst_process,
                  (size_t)a->position_count * sizeof *plan->src_process) == 0;
}

static bool
holds_everywhere(const struct dtx_side *side)
{
    int axis;

    for (axis = 0; axis < side->mesh->axis_count; axis++) {
        if (side->presence.coordinates[axis] != NULL) {
            return false;
        }
    }
    return true;
}

/* True where only placements differ. */
static bool
is_comparable(const struct dtx_plan *plan, const struct dtx_class *c,
              const struct dtx_rule *src, const struct dtx_rule *dst)
{
    return same_mesh(plan) && holds_everywhere(c->src) &&
           holds_everywhere(c->final) && c->src->term_count == 1 &&
           src->split == dst->split && src->pad_count == 0 &&
           dst->pad_count == 0;
}

/* ---------------------------------------------------------------- changes */

/* True where the axis is innermost on its dim now. */
static bool
can_leave(const struct state *now, int axis)
{
    int at = find(now, axis), i;

    for (i = at + 1; at >= 0 && i < now->count; i++) {
        if (now->list[i].dim == now->list[at].dim) {
            return false;
        }
    }
    return true;
}

/* True where all that shard the axis's target dim now, but for the axis, are
 * just those that come before it in the target. */
static bool
can_come(const struct state *now, const struct state *target, int axis)
{
    int to = find(target, axis), i, k = 0;

    if (to < 0) {
        return true;
    }
    for (i = 0; i < now->count; i++) {
        if (now->list[i].dim != target->list[to].dim ||
            now->list[i].axis == axis) {
            continue;
        }
        while (k < to && target->list[k].dim != target->list[to].dim) {
            k++;
        }
        if (k >= to ||
            !dtx_placement_equals(&now->list[i], &target->list[k++])) {
            return false;
        }
    }
    for (; k < to; k++) {
        if (target->list[k].dim == target->list[to].dim) {
            return false;
        }
    }
    return true;
}

/* What changes of an axis: what is sliced comes first, what is gathered
 * last. */
enum change { SLICE, EXCHANGE, GATHER, CHANGE_COUNT };

static enum change
change_of(const struct state *now, const struct state *target, int axis)
{
    if (find(now, axis) < 0) {
        return SLICE;
    }
    return find(target, axis) < 0 ? GATHER : EXCHANGE;
}

/* The axis to change next, or -1. */
static int
choose_axis(const struct dtx_mesh *mesh, const struct state *now,
            const struct state *target)
{
    int change, axis;

    for (change = SLICE; change < CHANGE_COUNT; change++) {
        for (axis = 0; axis < mesh->axis_count; axis++) {
            if (!is_done(now, target, axis) &&
                (int)change_of(now, target, axis) == change &&
                can_leave(now, axis) && can_come(now, target, axis)) {
                return axis;
            }
        }
    }
    return -1;
}

static void
apply(struct state *now, const struct state *target, int axis)
{
    int from = find(now, axis), to = find(target, axis), i;

    if (from >= 0) {
        for (i = from; i + 1 < now->count; i++) {
            now->list[i] = now->list[i + 1];
        }
        now->count--;
    }
    if (to >= 0) {
        now->list[now->count++] = target->list[to];
    }
}

/* ---------------------------------------------------------------- stops */

/* The tiling of a state. NULL where it can't be, or when out of memory. */
static struct dtx_tiling *
make_tiling(struct dtx_plan *plan, const struct dtx_tensor *t,
            const struct state *state)
{
    struct dtx_rule rule = {.placement_count = state->count,
                            .placements = state->list,
                            .split = plan->source->rules[t->src_rule].split};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_tiling *tiling = NULL;

    if (list != NULL) {
        tiling = dtx_tiling_create(&plan->arena, plan->source, &rule,
                                   t->src_name, t->ndim, t->shape, list);
    }
    dtx_diagnostics_destroy(list);
    return tiling;
}

static bool
all_done(const struct dtx_mesh *mesh, const struct state *now,
         const struct state *target)
{
    int axis;

    for (axis = 0; axis < mesh->axis_count; axis++) {
        if (!is_done(now, target, axis)) {
            return false;
        }
    }
    return true;
}

int
dtx_rearrange(struct dtx_plan *plan, const struct dtx_class *optimal,
              const struct dtx_tiling **stops_out)
{
    const struct dtx_tensor *t = &plan->tensors[optimal->tensor];
    const struct dtx_rule *src = &plan->source->rules[t->src_rule];
    const struct dtx_rule *dst = &plan->target->rules[t->dst_rule];
    const struct dtx_mesh *mesh = &plan->source->mesh;
    struct state now, target;
    int axis, count = 0;

    if (!is_comparable(plan, optimal, src, dst)) {
        return 0;
    }
    now = state_of(src, t->ndim);
    target = state_of(dst, t->ndim);
    for (axis = choose_axis(mesh, &now, &target); axis >= 0;
         axis = choose_axis(mesh, &now, &target)) {
        bool moves = change_of(&now, &target, axis) != SLICE;
        struct dtx_tiling *tiling;

        apply(&now, &target, axis);
        if (!moves || all_done(mesh, &now, &target)) {
            continue;
        }
        tiling = make_tiling(plan, t, &now);
        if (tiling == NULL) { /* what can't be in between is passed over */
            continue;
        }
        stops_out[count++] = tiling;
    }
    return count;
}
