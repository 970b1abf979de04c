#include "plan/pending.h"

#include "plan/route.h"
#include "plan/totals.h"
#include "util/alloc.h"

/* True where some target shard is needed by more than one process. */
static bool
has_replicas(const struct dtx_side *dst)
{
    return dst->use_count > dst->shard_count;
}

/* Where a target shard is reduced: on a process that needs it, one that has a
 * term of the tensor if there is one, in turn. */
static int
reducing_position(const struct dtx_plan *plan, const struct dtx_class *c,
                  int shard)
{
    int first = c->dst->shard_first[shard];
    int count = c->dst->shard_first[shard + 1] - first;
    int i, use;

    for (i = 0; i < count; i++) {
        int position = c->dst->positions[first + (shard + i) % count];

        if (dtx_side_uses(c->src, plan->dst_process[position], &use) > 0) {
            return position;
        }
    }
    return c->dst->positions[first + shard % count];
}

/* The target's shards, each where it is reduced. */
static const struct dtx_side *
reducers(struct dtx_plan *plan, const struct dtx_class *c)
{
    const struct dtx_side *dst = c->dst;
    size_t positions = (size_t)dst->mesh->position_count, i;
    int *processes = dtx_alloc(positions, sizeof *processes);
    const struct dtx_side *side = NULL;
    int shard;

    if (processes == NULL) {
        return NULL;
    }
    for (i = 0; i < positions; i++) {
        processes[i] = -1;
    }
    for (shard = 0; shard < dst->shard_count; shard++) {
        int position = reducing_position(plan, c, shard);

        processes[position] = plan->dst_process[position];
    }
    side = dtx_side_create(&plan->arena, dst->mesh, dst->tiling, &dst->presence,
                           processes);
    dtx_free(processes);
    return side;
}

struct dtx_class *
dtx_pending_route(struct dtx_plan *plan, struct dtx_class *optimal)
{
    const struct dtx_side *reduced;
    struct dtx_class *first, *second;

    if (optimal->src->term_count == 1 || !has_replicas(optimal->dst)) {
        return optimal;
    }
    reduced = reducers(plan, optimal);
    if (reduced == NULL) {
        return NULL;
    }
    first = dtx_route_between(plan, optimal, optimal->src, reduced);
    second = dtx_route_between(plan, optimal, reduced, optimal->dst);
    if (first == NULL || second == NULL) {
        return NULL;
    }
    second->round = 1;
    first->next = second;
    /* Each term leaves its process once, each value comes once: the least. */
    dtx_class_measure(first);
    dtx_class_measure(second);
    optimal->lacking = first->lacking + second->lacking;
    return first;
}
