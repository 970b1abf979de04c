#include "plan/weigh/route.h"

#include "plan/weigh/between.h"
#include "plan/weigh/pending.h"
#include "plan/weigh/redistribute.h"

/* ---------------------------------------------------------------- whole */

/* A tiling of one piece per dim: nobody divides the tensor. */
static int
set_whole_dim(struct dtx_arena *arena, int64_t logical,
              struct dtx_tiling_dim *dim)
{
    int64_t *extent = dtx_arena_alloc(arena, 1, sizeof *extent);
    struct dtx_tile *tile = dtx_arena_alloc(arena, 1, sizeof *tile);
    int *first = dtx_arena_alloc(arena, 2, sizeof *first);
    int *tiles = dtx_arena_alloc(arena, 1, sizeof *tiles);

    if (extent == NULL || tile == NULL || first == NULL || tiles == NULL) {
        return -1;
    }
    *extent = logical;
    *tile = (struct dtx_tile){0, logical, 0, 0};
    first[1] = logical > 0;
    *dim = (struct dtx_tiling_dim){.logical = logical,
                                   .stored = logical,
                                   .piece_count = 1,
                                   .extents = extent,
                                   .tile_count = logical > 0,
                                   .tiles = tile,
                                   .piece_first = first,
                                   .piece_tiles = tiles};
    return 0;
}

static const struct dtx_tiling *
whole_tiling(struct dtx_arena *arena, const struct dtx_tiling *like)
{
    struct dtx_tiling *tiling = dtx_arena_alloc(arena, 1, sizeof *tiling);
    size_t ndim = (size_t)like->ndim;
    int dim, failed = tiling == NULL;

    if (!failed) {
        tiling->dims = dtx_arena_alloc(arena, ndim, sizeof *tiling->dims);
        failed = tiling->dims == NULL;
    }
    for (dim = 0; dim < like->ndim && !failed; dim++) {
        failed = set_whole_dim(arena, like->dims[dim].logical,
                               &tiling->dims[dim]) != 0;
    }
    if (failed) {
        return NULL;
    }
    tiling->ndim = like->ndim;
    return tiling;
}

/* ---------------------------------------------------------------- classes */

/* What all classes with the same target share when they are materialized. */
struct dtx_whole {
    const struct dtx_side *side; /* NULL: not made yet */
    const struct dtx_overlap **cuts;
};

static int
make_whole(struct dtx_plan *plan, const struct dtx_side *final,
           struct dtx_whole *whole)
{
    const struct dtx_tiling *tiling = whole_tiling(&plan->arena, final->tiling);

    if (tiling == NULL) {
        return -1;
    }
    whole->side = dtx_side_create(&plan->arena, final->mesh, tiling,
                                  &final->presence, plan->dst_process);
    whole->cuts = dtx_overlaps_between(&plan->arena, tiling, final->tiling);
    return whole->side != NULL && whole->cuts != NULL ? 0 : -1;
}

/* All processes of the target get the whole tensor. */
static struct dtx_class *
materialize(struct dtx_plan *plan, const struct dtx_class *optimal)
{
    struct dtx_whole *whole;
    struct dtx_class *c;

    if (plan->wholes == NULL) {
        plan->wholes = dtx_arena_alloc(&plan->arena, (size_t)plan->side_count,
                                       sizeof *plan->wholes);
    }
    if (plan->wholes == NULL) {
        return NULL;
    }
    whole = &plan->wholes[optimal->final->number];
    if (whole->side == NULL && make_whole(plan, optimal->final, whole) != 0) {
        return NULL;
    }
    c = dtx_class_between(plan, optimal, optimal->src, whole->side);
    if (c != NULL) {
        c->strategy = DTX_STRATEGY_MATERIALIZE;
        c->cuts = whole->cuts;
    }
    return c;
}

static struct dtx_class *
direct(struct dtx_plan *plan, const struct dtx_class *optimal)
{
    struct dtx_class *c = dtx_arena_copy(&plan->arena, optimal, 1, sizeof *c);

    if (c != NULL) {
        c->strategy = DTX_STRATEGY_DIRECT;
    }
    return c;
}

struct dtx_class *
dtx_route_class(struct dtx_plan *plan, struct dtx_class *optimal,
                enum dtx_strategy strategy)
{
    switch (strategy) {
    case DTX_STRATEGY_AUTO:
    case DTX_STRATEGY_COUNT:
        return optimal;
    case DTX_STRATEGY_OPTIMAL:
        return dtx_pending_route(plan, optimal);
    case DTX_STRATEGY_REDISTRIBUTE:
        return dtx_redistribute(plan, optimal);
    case DTX_STRATEGY_MATERIALIZE:
        return materialize(plan, optimal);
    case DTX_STRATEGY_DIRECT:
        return direct(plan, optimal);
    }
    return NULL;
}
