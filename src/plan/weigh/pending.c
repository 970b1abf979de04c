#include "plan/weigh/pending.h"

#include "plan/weigh/between.h"
#include "util/alloc.h"

bool
dtx_pending_is_shared(const struct dtx_class *c)
{
    return c->src->term_count > 1 && c->dst->use_count > c->dst->shard_count;
}

const struct dtx_use *
dtx_pending_reducer(const struct dtx_class *c, int dst_shard)
{
    int first = c->dst->process_first[dst_shard];
    int count = c->dst->process_first[dst_shard + 1] - first;
    int i, use, process = -1;

    for (i = 0; i < count && process < 0; i++) {
        int candidate = c->dst->processes[first + (dst_shard + i) % count];

        if (dtx_side_uses(c->src, candidate, &use) > 0) {
            process = candidate;
        }
    }
    if (process < 0) {
        process = c->dst->processes[first + dst_shard % count];
    }
    return dtx_side_find_use(c->dst, process, dst_shard);
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
        const struct dtx_use *use = dtx_pending_reducer(c, shard);

        processes[use->position] = use->process;
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

    if (!dtx_pending_is_shared(optimal)) {
        return optimal;
    }
    reduced = reducers(plan, optimal);
    if (reduced == NULL) {
        return NULL;
    }
    first = dtx_class_between(plan, optimal, optimal->src, reduced);
    second = dtx_class_between(plan, optimal, reduced, optimal->dst);
    if (first == NULL || second == NULL) {
        return NULL;
    }
    second->round = 1;
    first->next = second;
    return first;
}
