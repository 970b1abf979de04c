/*
 * Listing transfers: every box of every tensor between two ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "plan/send/relay.h"
#include "plan/step/box_walk.h"
#include "util/alloc.h"
#include "util/error.h"

/* One box on its way, while the boxes of one target rank are sorted. */
struct line {
    int64_t src_rank;
    int src_process;
    int ndim;
    const int64_t *begin; /* [ndim], then end [ndim] */
};

struct lister {
    const struct dtx_plan *plan;
    dtx_transfer_visit *visit;
    void *context;
    bool stopped;
    struct dtx_arena scratch;
    struct line *lines;
    size_t count, capacity;
};

static int
compare_lines(const void *left, const void *right)
{
    const struct line *a = left;
    const struct line *b = right;
    int dim;

    if (a->src_rank != b->src_rank) {
        return a->src_rank < b->src_rank ? -1 : 1;
    }
    for (dim = 0; dim < a->ndim; dim++) {
        if (a->begin[dim] != b->begin[dim]) {
            return a->begin[dim] < b->begin[dim] ? -1 : 1;
        }
    }
    return 0;
}

/* Adds the boxes of a link, which were at a source position first and come
 * from a process. */
static int
add_boxes(struct lister *l, const struct dtx_class *c,
          const struct dtx_link *link, int src_position, int src_process)
{
    size_t ndim = (size_t)c->ndim, dim;
    struct dtx_box_walk walk;

    dtx_box_walk_begin(&walk, c, link, NULL, NULL);
    while (dtx_box_walk_next(&walk)) {
        int64_t *begin = dtx_arena_alloc(&l->scratch, 2 * ndim, sizeof *begin);

        if (begin == NULL || dtx_grow(&l->lines, l->count, &l->capacity,
                                      sizeof *l->lines) != 0) {
            return -1;
        }
        dtx_box_walk_get(&walk, DTX_INDICES_GLOBAL, begin, begin + ndim);
        for (dim = 0; dim < ndim; dim++) {
            begin[ndim + dim] += begin[dim];
        }
        l->lines[l->count++] =
            (struct line){dtx_mesh_rank(&l->plan->source->mesh, src_position),
                          src_process, c->ndim, begin};
    }
    return 0;
}

/* The share of a transfer that a receiver gets: from a holder or a relay. */
static int
add_share(struct lister *l, const struct dtx_class *c, struct dtx_link *link,
          int receiver, int64_t length)
{
    struct dtx_share share = dtx_class_share(
        c, link->src_shard, link->dst_shard, receiver, link->share, length);
    int process = share.process;
    int position;

    link->lo = share.lo;
    link->hi = share.hi;
    if (share.lo >= share.hi) {
        return 0;
    }
    if (c->relays == NULL) {
        position =
            dtx_side_find_use(c->src, process, link->src_shard)->position;
    } else {
        struct dtx_relay_way way = dtx_relay_find(
            c, link->src_shard, link->dst_shard, receiver, link->share);

        process = dtx_relay_giver(c, link->src_shard, link->dst_shard, receiver,
                                  link->share, &way);
        position = dtx_relay_origin(c, link->src_shard, link->dst_shard,
                                    receiver, link->share);
    }
    return add_boxes(l, c, link, position, process);
}

/* Adds what a target position's shard gets from one source shard. */
static int
add_transfer(struct lister *l, const struct dtx_walk *walk, int src_shard,
             int dst_shard, int process)
{
    const struct dtx_class *c = walk->c;
    const struct dtx_use *own = dtx_side_find_use(c->src, process, src_shard);
    int64_t length = c->ndim > 0 ? walk->pairs[c->split_dim]->length : 1;
    struct dtx_link link = {src_shard, dst_shard, 0, -1, -1, 0, length, 0};
    int receiver, failed = 0;

    if (c->strategy == DTX_STRATEGY_DIRECT) {
        /* The target's process reads by itself. */
        return add_boxes(l, c, &link,
                         dtx_class_direct_position(c, src_shard, dst_shard),
                         process);
    }
    if (own != NULL) {
        return add_boxes(l, c, &link, own->position, process);
    }
    receiver = dtx_side_process_index(c->dst, dst_shard, process);
    for (; link.share < dtx_class_share_count(c, src_shard) && !failed;
         link.share++) {
        failed = add_share(l, c, &link, receiver, length);
    }
    return failed;
}

/* The class whose transfers are listed: what goes in rounds between different
 * sides is told from one end to the other. */
static const struct dtx_class *
class_of(const struct lister *l, const struct dtx_tensor *t)
{
    const struct dtx_class *c = l->plan->classes[t->class_index];

    return dtx_class_has_slabs(c) ? c->optimal : c;
}

static void
visit_lines(struct lister *l, const struct dtx_tensor *t, int dst_position)
{
    const struct dtx_class *c = class_of(l, t);
    size_t i;

    if (l->count > 1) {
        qsort(l->lines, l->count, sizeof *l->lines, compare_lines);
    }
    for (i = 0; i < l->count && !l->stopped; i++) {
        const struct line *line = &l->lines[i];
        int dst_process = l->plan->dst_process[dst_position];
        struct dtx_transfer transfer = {
            .tensor = t->dst_name,
            .src_rank = line->src_rank,
            .dst_rank = dtx_mesh_rank(&l->plan->target->mesh, dst_position),
            .src_process = line->src_process,
            .dst_process = dst_process,
            .ndim = t->ndim,
            .begin = line->begin,
            .end = line->begin + t->ndim,
            .bytes = c->wire_bytes};
        int dim;

        for (dim = 0; dim < t->ndim; dim++) {
            transfer.bytes *=
                (uint64_t)(transfer.end[dim] - transfer.begin[dim]);
        }
        l->stopped = !l->visit(&transfer, l->context);
    }
}

/* Lists what one target position gets of a tensor. */
static int
list_position(struct lister *l, const struct dtx_tensor *t, int position)
{
    const struct dtx_class *c = class_of(l, t);
    int shard = dtx_side_shard(c->dst, position);
    struct dtx_walk walk;
    int term;

    dtx_arena_reset(&l->scratch);
    l->count = 0;
    dtx_walk_begin(&walk, c, false, shard);
    while (dtx_walk_next(&walk)) {
        for (term = 0; term < c->src->term_count; term++) {
            if (add_transfer(l, &walk,
                             walk.other + term * c->src->product_count, shard,
                             l->plan->dst_process[position]) != 0) {
                return -1;
            }
        }
    }
    visit_lines(l, t, position);
    return 0;
}

/* A target position and its rank, to be taken in the order of ranks. */
struct ranked {
    int64_t rank;
    int position;
};

static int
compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;

    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static struct ranked *
rank_positions(const struct dtx_mesh *mesh)
{
    size_t count = (size_t)mesh->position_count;
    struct ranked *ranked = dtx_alloc(count, sizeof *ranked);
    int i;

    for (i = 0; i < mesh->position_count && ranked != NULL; i++) {
        ranked[i] = (struct ranked){dtx_mesh_rank(mesh, i), i};
    }
    if (ranked != NULL && mesh->ranks != NULL) {
        qsort(ranked, count, sizeof *ranked, compare_ranked);
    }
    return ranked;
}

/* Lists the transfers of tensors first to end - 1. */
static enum dtx_status
list_tensors(const struct dtx_plan *plan, int first, int end,
             dtx_transfer_visit *visit, void *context, struct dtx_error *err)
{
    struct lister l = {.plan = plan, .visit = visit, .context = context};
    struct ranked *ranked = rank_positions(&plan->target->mesh);
    int i, r, failed = ranked == NULL;

    for (i = first; i < end && !failed && !l.stopped; i++) {
        const struct dtx_tensor *t = &plan->tensors[i];
        const struct dtx_side *dst = plan->classes[t->class_index]->final;

        for (r = 0;
             r < plan->target->mesh.position_count && !failed && !l.stopped;
             r++) {
            if (dtx_presence_holds(&dst->presence, &plan->target->mesh,
                                   ranked[r].position)) {
                failed = list_position(&l, t, ranked[r].position);
            }
        }
    }
    dtx_arena_finish(&l.scratch);
    dtx_free(l.lines);
    dtx_free(ranked);
    return failed ? dtx_error_memory(err) : DTX_OK;
}

enum dtx_status
dtx_plan_each_transfer(const struct dtx_plan *plan, dtx_transfer_visit *visit,
                       void *context, struct dtx_error *err)
{
    return list_tensors(plan, 0, plan->tensor_count, visit, context, err);
}

enum dtx_status
dtx_plan_each_transfer_of(const struct dtx_plan *plan, int tensor,
                          dtx_transfer_visit *visit, void *context,
                          struct dtx_error *err)
{
    return list_tensors(plan, tensor, tensor + 1, visit, context, err);
}
