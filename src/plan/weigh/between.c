#include "plan/weigh/between.h"

const struct dtx_overlap **
dtx_overlaps_between(struct dtx_arena *arena, const struct dtx_tiling *src,
                     const struct dtx_tiling *dst)
{
    const struct dtx_overlap **overlaps =
        dtx_arena_alloc(arena, (size_t)src->ndim, sizeof(struct dtx_overlap *));
    int dim;

    for (dim = 0; dim < src->ndim && overlaps != NULL; dim++) {
        overlaps[dim] =
            dtx_overlap_create(arena, &src->dims[dim], &dst->dims[dim]);
        if (overlaps[dim] == NULL) {
            return NULL;
        }
    }
    return overlaps;
}

struct dtx_class *
dtx_class_between(struct dtx_plan *plan, const struct dtx_class *optimal,
                  const struct dtx_side *src, const struct dtx_side *dst)
{
    struct dtx_class *c = dtx_arena_copy(&plan->arena, optimal, 1, sizeof *c);

    if (c == NULL) {
        return NULL;
    }
    c->src = src;
    c->dst = dst;
    c->senders = NULL;
    c->overlaps = dtx_overlaps_between(&plan->arena, src->tiling, dst->tiling);
    if (c->overlaps == NULL) {
        return NULL;
    }
    dtx_class_choose_shares(c, 1, 1);
    return c;
}
