#include "plan/map/map_choose.h"

#include <string.h>

#include "plan/map/hosting.h"
#include "plan/weigh/pending.h"
#include "plan/weigh/totals.h"
#include "util/alloc.h"

/* Moves of one mesh or the other, from one start. */
enum { MOVES_MOST = 6 };

/* A map of both meshes, and what must move under it. */
struct maps {
    int *src; /* [source positions] */
    int *dst; /* [target positions] */
    uint64_t lacking;
};

struct chooser {
    struct dtx_plan *plan;
    struct dtx_arena arena;   /* of the maps */
    struct dtx_arena scratch; /* of sides on processes that are tried */
    struct maps block;
    struct maps current;
    struct maps tried;
    struct maps best;
    bool wants_proof; /* the next assignment gives the least of all maps */
    bool is_proven;
    uint64_t least; /* where it is */
};

/* ------------------------------------------------------------------- maps */

static int
make_maps(struct chooser *c, struct maps *maps)
{
    size_t sources = (size_t)c->plan->source->mesh.position_count;
    size_t targets = (size_t)c->plan->target->mesh.position_count;

    maps->src = dtx_arena_copy(&c->arena, c->plan->src_process, sources,
                               sizeof *maps->src);
    maps->dst = dtx_arena_copy(&c->arena, c->plan->dst_process, targets,
                               sizeof *maps->dst);
    return maps->src == NULL || maps->dst == NULL ? -1 : 0;
}

static void
copy_maps(const struct chooser *c, struct maps *to, const struct maps *from)
{
    size_t sources = (size_t)c->plan->source->mesh.position_count;
    size_t targets = (size_t)c->plan->target->mesh.position_count;

    memcpy(to->src, from->src, sources * sizeof *to->src);
    memcpy(to->dst, from->dst, targets * sizeof *to->dst);
    to->lacking = from->lacking;
}

/* Puts all sides of the plan on the processes of a map. */
static int
host_sides(struct dtx_plan *plan, struct dtx_arena *arena,
           const struct maps *maps)
{
    int i;

    for (i = 0; i < plan->side_count; i++) {
        struct dtx_side *side = plan->sides[i];
        bool is_source = side->mesh == &plan->source->mesh;

        if (dtx_side_host(side, arena, is_source ? maps->src : maps->dst) !=
            0) {
            return -1;
        }
    }
    return 0;
}

/* Counts what must move under a map. Sides stay on its processes. */
static int
weigh(struct chooser *c, struct maps *maps)
{
    struct dtx_plan *plan = c->plan;
    int i;

    dtx_arena_reset(&c->scratch);
    if (host_sides(plan, &c->scratch, maps) != 0) {
        return -1;
    }
    maps->lacking = 0;
    for (i = 0; i < plan->class_count && !dtx_is_unwanted(&plan->options);
         i++) {
        dtx_class_measure(plan->classes[i]);
        maps->lacking += plan->classes[i]->lacking *
                         (uint64_t)plan->classes[i]->instance_count;
    }
    return 0;
}

/* ------------------------------------------------------------------- moves */

/* Moves a mesh to where most of what it needs is under the current map.
 * Returns 1 where that saves something, 0 where not, -1 out of memory. */
static int
move(struct chooser *c, bool target, bool bundles)
{
    struct dtx_plan *plan = c->plan;
    struct dtx_hosting hosting = {
        .plan = plan,
        .moves_target = target,
        .bundles = bundles,
        .procs = target ? plan->dst_procs : plan->src_procs,
        .block = target ? c->block.dst : c->block.src};
    uint64_t excess;

    if (weigh(c, &c->current) != 0) {
        return -1;
    }
    copy_maps(c, &c->tried, &c->current);
    if (dtx_hosting_solve(&hosting, target ? c->tried.dst : c->tried.src,
                          &excess) != 0 ||
        weigh(c, &c->tried) != 0) {
        return -1;
    }
    if (c->wants_proof && excess <= c->tried.lacking) {
        c->is_proven = true;
        c->least = c->tried.lacking - excess;
    }
    c->wants_proof = false;
    if (c->tried.lacking >= c->current.lacking) {
        return 0;
    }
    copy_maps(c, &c->current, &c->tried);
    return 1;
}

/* Moves one mesh and the other in turn, as long as that saves something. */
static int
climb(struct chooser *c, bool target, bool moves_source)
{
    bool bundles = c->plan->dst_procs.most > 1;
    int idle = 0, moves;

    for (moves = 0; moves < MOVES_MOST && idle < 2; moves++) {
        int gained = target || moves_source ? move(c, target, false) : 0;
        int more = target && bundles && gained >= 0 ? move(c, true, true) : 0;

        if (gained < 0 || more < 0 || dtx_is_unwanted(&c->plan->options)) {
            return -1;
        }
        if (!moves_source && !bundles) {
            break; /* it is the best already */
        }
        idle = gained + more > 0 ? 0 : idle + 1;
        target = !target;
    }
    if (c->current.lacking < c->best.lacking) {
        copy_maps(c, &c->best, &c->current);
    }
    return 0;
}

static bool
are_same(const struct dtx_procs *a, const struct dtx_procs *b)
{
    return a->count == b->count &&
           memcmp(a->processes, b->processes,
                  (size_t)a->count * sizeof *a->processes) == 0;
}

/* Puts the source, first of all, on processes that the target may use too. */
static int
gather_source(struct chooser *c)
{
    const struct dtx_procs *src = &c->plan->src_procs;
    const struct dtx_procs *dst = &c->plan->dst_procs;
    int *order = dtx_alloc((size_t)src->count, sizeof *order);
    int pass, i, j, count = 0;

    if (order == NULL) {
        return -1;
    }
    for (pass = 0; pass < 2; pass++) {
        for (i = j = 0; i < src->count; i++) {
            while (j < dst->count && dst->processes[j] < src->processes[i]) {
                j++;
            }
            if ((j < dst->count && dst->processes[j] == src->processes[i]) ==
                (pass == 0)) {
                order[count++] = src->processes[i];
            }
        }
    }
    copy_maps(c, &c->current, &c->block);
    for (i = 0; i < c->plan->source->mesh.position_count; i++) {
        c->current.src[i] = order[i / src->most];
    }
    dtx_free(order);
    return weigh(c, &c->current);
}

/* True where the best assignment is the best map: where what each rank finds on
 * its process is all that counts. Of pending terms that are reduced once and
 * passed on, it isn't. */
static bool
adds_up(const struct dtx_plan *plan)
{
    int i;

    for (i = 0; i < plan->class_count; i++) {
        if (dtx_pending_is_shared(plan->classes[i])) {
            return false;
        }
    }
    return plan->src_procs.most == 1 && plan->dst_procs.most == 1;
}

static int
search(struct chooser *c)
{
    const struct dtx_plan *plan = c->plan;
    bool same = are_same(&plan->src_procs, &plan->dst_procs);
    bool moves_source = !same || plan->src_procs.most > 1;

    c->wants_proof = same && adds_up(plan);
    copy_maps(c, &c->current, &c->block);
    if (climb(c, true, moves_source) != 0) {
        return -1;
    }
    if (moves_source) {
        copy_maps(c, &c->current, &c->block);
        if (climb(c, false, true) != 0) {
            return -1;
        }
    }
    if (!same) {
        return gather_source(c) != 0 || climb(c, true, true) != 0 ? -1 : 0;
    }
    return 0;
}

static int
choose(struct chooser *c)
{
    struct dtx_plan *plan = c->plan;

    if (make_maps(c, &c->block) != 0 || make_maps(c, &c->current) != 0 ||
        make_maps(c, &c->tried) != 0 || make_maps(c, &c->best) != 0 ||
        weigh(c, &c->block) != 0) {
        return -1;
    }
    copy_maps(c, &c->best, &c->block);
    if (c->block.lacking > 0 && search(c) != 0) {
        return -1;
    }
    memcpy(plan->src_process, c->best.src,
           (size_t)plan->source->mesh.position_count * sizeof(int));
    memcpy(plan->dst_process, c->best.dst,
           (size_t)plan->target->mesh.position_count * sizeof(int));
    plan->gain.saved = c->block.lacking - c->best.lacking;
    plan->gain.saved_at_most = UINT64_MAX;
    if (c->best.lacking == 0) {
        plan->gain.saved_at_most = plan->gain.saved;
    } else if (c->is_proven) {
        plan->gain.saved_at_most = c->block.lacking - c->least;
    }
    return host_sides(plan, &plan->arena, &c->best);
}

int
dtx_map_choose(struct dtx_plan *plan)
{
    struct chooser chooser = {.plan = plan};
    int failed = choose(&chooser), i;

    for (i = 0; i < plan->class_count && !failed; i++) {
        dtx_class_choose_shares(plan->classes[i], 1, 1);
    }
    dtx_arena_finish(&chooser.arena);
    dtx_arena_finish(&chooser.scratch);
    return failed;
}
