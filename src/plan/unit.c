#include "plan/unit.h"

#include <stdlib.h>

#include "plan/box_walk.h"
#include "util/alloc.h"

/* The boxes of a unit that go into one direction's regions. */
struct boxes {
    struct dtx_region_box *array;
    int *shards; /* the shard on this direction's side, per box */
    int *positions;
    size_t count, capacity, shard_capacity, position_capacity;
};

/* ---------------------------------------------------------------- messages */

/* The index of the message with a peer, made if it is new; -1 when out of
 * memory. */
static int
message_with(struct dtx_step_builder *b, struct dtx_flow *flow, int peer)
{
    if (b->peer_message[peer] < 0) {
        if (dtx_grow(&flow->messages, flow->count, &flow->capacity,
                     sizeof *flow->messages) != 0) {
            return -1;
        }
        flow->messages[flow->count] = (struct dtx_message){peer, 0};
        b->peer_message[peer] = (int)flow->count++;
    }
    return b->peer_message[peer];
}

/* ---------------------------------------------------------------- boxes */

static int
reserve_box(struct boxes *boxes)
{
    return dtx_grow(&boxes->array, boxes->count, &boxes->capacity,
                    sizeof *boxes->array) != 0 ||
           dtx_grow(&boxes->shards, boxes->count, &boxes->shard_capacity,
                    sizeof *boxes->shards) != 0 ||
           dtx_grow(&boxes->positions, boxes->count, &boxes->position_capacity,
                    sizeof *boxes->positions) != 0;
}

/* Whose indices a direction's datasets are in. */
static enum dtx_indices
indices_of(const struct dtx_plan *plan, bool outgoing)
{
    const struct dtx_layout *layout = outgoing ? plan->source : plan->target;

    if (layout->view == DTX_VIEW_GLOBAL) {
        return DTX_INDICES_GLOBAL;
    }
    return outgoing ? DTX_INDICES_SOURCE : DTX_INDICES_TARGET;
}

/* Of all processes that need a target shard the lowest one's copy counts. */
static bool
counts(const struct dtx_class *c, const struct dtx_link *link, int receiver)
{
    return c->dst->processes[c->dst->process_first[link->dst_shard]] ==
           receiver;
}

/* Adds the box that a walk stands on to the message with the link's peer. */
static int
add_box(struct dtx_step_builder *b, struct dtx_flow *flow,
        const struct dtx_unit *unit, const struct dtx_link *link,
        const struct dtx_box_walk *walk, struct boxes *boxes)
{
    size_t ndim = (size_t)unit->c->ndim;
    int64_t *lo = dtx_arena_alloc(&b->scratch, 3 * ndim, sizeof *lo);
    int message = message_with(b, flow, link->peer);
    size_t bytes = unit->c->wire_bytes;
    int64_t *len;
    int dim;

    if (lo == NULL || message < 0 || reserve_box(boxes) != 0) {
        return -1;
    }
    len = lo + ndim;
    dtx_box_walk_get(walk, DTX_INDICES_GLOBAL, lo + 2 * ndim, len);
    dtx_box_walk_get(walk, indices_of(b->plan, flow->outgoing), lo, len);
    for (dim = 0; dim < unit->c->ndim; dim++) {
        bytes *= (size_t)len[dim];
    }
    boxes->shards[boxes->count] =
        flow->outgoing ? link->src_shard : link->dst_shard;
    boxes->positions[boxes->count] =
        flow->outgoing ? link->src_position : link->dst_position;
    boxes->array[boxes->count++] = (struct dtx_region_box){
        .lo = lo,
        .len = len,
        .global = lo + 2 * ndim,
        .counts =
            counts(unit->c, link, flow->outgoing ? link->peer : b->process),
        .message = message,
        .term = link->src_shard / unit->c->src->product_count,
        .offset = flow->messages[message].bytes};
    flow->messages[message].bytes += bytes;
    return 0;
}

/* Adds all boxes of a link in this unit. */
static int
add_link(struct dtx_step_builder *b, struct dtx_flow *flow,
         const struct dtx_unit *unit, const struct dtx_link *link,
         struct boxes *boxes)
{
    struct dtx_box_walk walk;

    dtx_box_walk_begin(&walk, unit->c, link, unit->part_counts, unit->part);
    while (dtx_box_walk_next(&walk)) {
        if (add_box(b, flow, unit, link, &walk, boxes) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---------------------------------------------------------------- regions */

/* A box index with what it is grouped by. */
struct grouped {
    int shard, position, index;
};

static int
compare_grouped(const void *left, const void *right)
{
    const struct grouped *a = left;
    const struct grouped *b = right;

    if (a->shard != b->shard) {
        return a->shard < b->shard ? -1 : 1;
    }
    if (a->position != b->position) {
        return a->position < b->position ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The positions of the process that write a target shard's datasets. */
static int
writing_positions(const struct dtx_step_builder *b, const struct dtx_side *dst,
                  int shard, int *positions)
{
    int i, count = 0;

    for (i = dst->shard_first[shard]; i < dst->shard_first[shard + 1]; i++) {
        int position = dst->positions[i];

        if (b->plan->dst_process[position] == b->process &&
            dtx_plan_writes(b->plan, dst, position)) {
            positions[count++] = position;
        }
    }
    return count;
}

/* Sets where a group's regions are read from or written to. */
static int
set_positions(const struct dtx_step_builder *b, const struct dtx_flow *flow,
              const struct dtx_unit *unit, const struct grouped *group,
              struct dtx_region *like, struct dtx_arena *arena)
{
    const struct dtx_side *dst = unit->c->dst;
    size_t most = flow->outgoing ? 1
                                 : (size_t)(dst->shard_first[group->shard + 1] -
                                            dst->shard_first[group->shard]);
    int *positions = dtx_arena_alloc(arena, most, sizeof *positions);

    if (positions == NULL) {
        return -1;
    }
    like->tensor = unit->tensor;
    like->positions = positions;
    if (flow->outgoing) {
        positions[0] = group->position;
        like->position_count = 1;
    } else {
        like->position_count =
            writing_positions(b, dst, group->shard, positions);
    }
    return 0;
}

/* Boxes of one group, copied together, with lo and len in the step's arena. */
static struct dtx_region_box *
gather_group(const struct boxes *boxes, const struct grouped *group, int count,
             int ndim, struct dtx_arena *scratch, struct dtx_arena *arena)
{
    struct dtx_region_box *out =
        dtx_arena_alloc(scratch, (size_t)count, sizeof *out);
    int i;

    for (i = 0; i < count && out != NULL; i++) {
        out[i] = boxes->array[group[i].index];
        out[i].len =
            dtx_arena_copy(arena, out[i].len, (size_t)ndim, sizeof *out[i].len);
        out[i].global = dtx_arena_copy(arena, out[i].global, (size_t)ndim,
                                       sizeof *out[i].global);
        if (out[i].len == NULL || out[i].global == NULL) {
            return NULL;
        }
    }
    return out;
}

/* Makes regions of the unit's boxes, shard by shard. */
static int
add_regions(struct dtx_step_builder *b, struct dtx_flow *flow,
            const struct dtx_unit *unit, const struct boxes *boxes,
            struct dtx_arena *arena)
{
    struct grouped *groups =
        dtx_arena_alloc(&b->scratch, boxes->count, sizeof *groups);
    size_t first = 0, i;

    if (groups == NULL) {
        return -1;
    }
    for (i = 0; i < boxes->count; i++) {
        groups[i] =
            (struct grouped){boxes->shards[i], boxes->positions[i], (int)i};
    }
    qsort(groups, boxes->count, sizeof *groups, compare_grouped);
    for (i = 1; i <= boxes->count; i++) {
        struct dtx_region like = {0};
        struct dtx_region_box *group;

        if (i < boxes->count && groups[i].shard == groups[first].shard &&
            groups[i].position == groups[first].position) {
            continue;
        }
        group = gather_group(boxes, &groups[first], (int)(i - first),
                             unit->c->ndim, &b->scratch, arena);
        if (group == NULL ||
            set_positions(b, flow, unit, &groups[first], &like, arena) != 0 ||
            dtx_regions_add(&flow->regions, unit->c->ndim, group,
                            (int)(i - first), &like, arena) != 0) {
            return -1;
        }
        first = i;
    }
    return 0;
}

/* ---------------------------------------------------------------- units */

static int
add_links(struct dtx_step_builder *b, struct dtx_flow *flow,
          const struct dtx_unit *unit, const struct dtx_links *links,
          struct boxes *boxes, struct dtx_arena *arena)
{
    size_t i;

    for (i = 0; i < links->count; i++) {
        if (add_link(b, flow, unit, &links->array[i], boxes) != 0) {
            return -1;
        }
    }
    return boxes->count > 0 ? add_regions(b, flow, unit, boxes, arena) : 0;
}

int
dtx_unit_add(struct dtx_step_builder *b, struct dtx_flow *flow,
             const struct dtx_unit *unit, struct dtx_arena *arena)
{
    struct dtx_links links = {0};
    struct boxes boxes = {0};
    int status = flow->outgoing
                     ? dtx_links_outgoing(unit->c, b->process, &links)
                     : dtx_links_incoming(unit->c, b->process, &links);

    dtx_arena_reset(&b->scratch);
    if (status == 0) {
        status = add_links(b, flow, unit, &links, &boxes, arena);
    }
    dtx_links_finish(&links);
    dtx_free(boxes.array);
    dtx_free(boxes.shards);
    dtx_free(boxes.positions);
    return status;
}
