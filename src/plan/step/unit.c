#include "plan/step/unit.h"

#include <stdlib.h>

#include "plan/send/relay.h"
#include "plan/step/box_walk.h"
#include "plan/step/known.h"
#include "plan/step/store.h"
#include "plan/step/unit_relay.h"
#include "util/alloc.h"

/* A box's index, with what it is grouped by: the shard on this direction's
 * side and its position. */
struct grouped {
    int shard, position, index;
};

/* The boxes of a unit that go into one direction's regions. */
struct boxes {
    struct dtx_region_box *array;
    struct grouped *groups;
    size_t count, capacity, group_capacity;
    struct dtx_arena *arena; /* the step's: receives what slices keep */
};

struct dtx_unit_memory {
    struct dtx_known_links known[2]; /* [outgoing] */
    struct boxes boxes;              /* empty between units */
};

/* The boxes of one shard and position. */
struct group {
    int shard, position;
    size_t first; /* in the sorted groups */
    int count;
    struct dtx_region_box *boxes; /* [count] */
};

/* ---------------------------------------------------------------- boxes */

static int
reserve_box(struct boxes *boxes)
{
    return dtx_grow(&boxes->array, boxes->count, &boxes->capacity,
                    sizeof *boxes->array) != 0 ||
           dtx_grow(&boxes->groups, boxes->count, &boxes->group_capacity,
                    sizeof *boxes->groups) != 0;
}

/* Whose indices a direction's boxes are in. */
static enum dtx_indices
indices_of(const struct dtx_plan *plan, const struct dtx_unit *unit,
           bool outgoing)
{
    const struct dtx_layout *layout = outgoing ? plan->source : plan->target;

    if (layout->view == DTX_VIEW_GLOBAL && !dtx_unit_is_kept(unit, outgoing)) {
        return DTX_INDICES_GLOBAL;
    }
    return outgoing ? DTX_INDICES_SOURCE : DTX_INDICES_TARGET;
}

static int
copy_count(const struct dtx_side *side, int shard)
{
    return side->process_first[shard + 1] - side->process_first[shard];
}

/* A copy of numbers in scratch; NULL when out of memory. */
static int64_t *
keep(struct dtx_step_builder *b, const int64_t *numbers, int count)
{
    return dtx_arena_copy(&b->scratch, numbers, (size_t)count, sizeof *numbers);
}

/* Appends the box that a walk stands on, whose indices are the direction's.
 * like says the rest. */
static int
append_box(struct dtx_step_builder *b, enum dtx_indices indices,
           const struct dtx_box_walk *walk, const struct grouped *group,
           const struct dtx_region_box *like, struct boxes *boxes)
{
    size_t ndim = (size_t)walk->ndim;
    int64_t *lo = dtx_arena_alloc(&b->scratch, ndim, sizeof *lo);
    int64_t *len = dtx_arena_alloc(boxes->arena, 2 * ndim, sizeof *len);
    struct dtx_region_box *box;

    if (lo == NULL || len == NULL || reserve_box(boxes) != 0) {
        return -1;
    }
    dtx_box_walk_get(walk, DTX_INDICES_GLOBAL, len + ndim, len);
    dtx_box_walk_get(walk, indices, lo, len);
    boxes->groups[boxes->count] = *group;
    boxes->groups[boxes->count].index = (int)boxes->count;
    box = &boxes->array[boxes->count++];
    *box = *like;
    box->lo = lo;
    box->len = len;
    box->global = len + ndim;
    return 0;
}

/* Appends what a target shard of this process takes of a box. */
static int
append_cuts(struct dtx_step_builder *b, const struct dtx_unit *unit,
            const struct dtx_use *use, struct dtx_region_box like,
            struct boxes *boxes)
{
    const struct dtx_class *c = unit->c;
    enum dtx_indices indices = indices_of(b->plan, unit, false);
    const int64_t *box_lo = like.global;
    struct grouped group = {use->shard, use->position, 0};
    struct dtx_box_walk walk;
    int64_t at[DTX_NDIM_MAX], len[DTX_NDIM_MAX];
    int dim;

    like.copy = dtx_side_process_index(c->final, use->shard, b->process);
    like.copy_count = copy_count(c->final, use->shard);
    dtx_box_walk_begin_cut(&walk, c, use->shard, box_lo, like.box_len);
    while (dtx_box_walk_next(&walk)) {
        dtx_box_walk_get(&walk, DTX_INDICES_GLOBAL, at, len);
        for (dim = 0; dim < c->ndim; dim++) {
            at[dim] -= box_lo[dim];
        }
        like.box_lo =
            dtx_arena_copy(boxes->arena, at, (size_t)c->ndim, sizeof *at);
        if (like.box_lo == NULL ||
            append_box(b, indices, &walk, &group, &like, boxes) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Appends what each target shard of this process takes of the box that a walk
 * stands on. */
static int
append_all_cuts(struct dtx_step_builder *b, const struct dtx_unit *unit,
                const struct dtx_box_walk *walk, struct dtx_region_box like,
                struct boxes *boxes)
{
    const struct dtx_class *c = unit->c;
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX];
    int first, i, count = dtx_side_uses(c->final, b->process, &first);

    dtx_box_walk_get(walk, DTX_INDICES_GLOBAL, lo, len);
    like.global = keep(b, lo, c->ndim);
    like.box_len =
        dtx_arena_copy(boxes->arena, len, (size_t)c->ndim, sizeof *len);
    if (like.global == NULL || like.box_len == NULL) {
        return -1;
    }
    for (i = 0; i < count; i++) {
        if (append_cuts(b, unit, &c->final->uses[first + i], like, boxes) !=
            0) {
            return -1;
        }
    }
    return 0;
}

/* Adds the box that a walk stands on to the message with the link's peer. */
static int
add_box(struct dtx_step_builder *b, struct dtx_flow *flow,
        const struct dtx_unit *unit, const struct dtx_known_link *known,
        const struct dtx_box_walk *walk, struct boxes *boxes)
{
    const struct dtx_class *c = unit->c;
    const struct dtx_link *link = known->link;
    struct grouped group = {
        flow->outgoing ? link->src_shard : link->dst_shard,
        flow->outgoing ? link->src_position : link->dst_position, 0};
    struct dtx_region_box box = {
        .copy = known->copy,
        .copy_count = copy_count(c->dst, link->dst_shard),
        .message = dtx_flow_message(b, flow, link->peer),
        .term = link->src_shard / c->src->product_count};
    size_t bytes = c->wire_bytes * (size_t)dtx_box_walk_elements(walk);

    if (box.message < 0) {
        return -1;
    }
    if (flow->outgoing && c->relays != NULL) { /* others don't come from here */
        box.copy = !dtx_relay_is_first(c, link->src_shard, link->dst_shard,
                                       known->copy, link->share);
    }
    box.offset = flow->messages[box.message].bytes;
    flow->messages[box.message].bytes += bytes;
    return !flow->outgoing && c->cuts != NULL
               ? append_all_cuts(b, unit, walk, box, boxes)
               : append_box(b, indices_of(b->plan, unit, flow->outgoing), walk,
                            &group, &box, boxes);
}

/* Adds all boxes of a link in this unit. */
static int
add_link(struct dtx_step_builder *b, struct dtx_flow *flow,
         const struct dtx_unit *unit, const struct dtx_known_link *link,
         struct boxes *boxes)
{
    struct dtx_box_walk walk;

    dtx_box_walk_begin_pairs(&walk, unit->c, link->link, link->pairs,
                             unit->part_counts, unit->part);
    while (dtx_box_walk_next(&walk)) {
        if (add_box(b, flow, unit, link, &walk, boxes) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---------------------------------------------------------------- regions */

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

/* Sets the positions that a group's regions are read from or written to. */
static int
set_positions(const struct dtx_step_builder *b, const struct dtx_flow *flow,
              const struct dtx_unit *unit, const struct group *group,
              struct dtx_region *like, struct dtx_arena *arena)
{
    const struct dtx_side *dst = unit->c->final;
    size_t most = flow->outgoing ? 1
                                 : (size_t)(dst->shard_first[group->shard + 1] -
                                            dst->shard_first[group->shard]);
    int *positions = dtx_arena_alloc(arena, most, sizeof *positions);

    if (positions == NULL) {
        return -1;
    }
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

/* Sets a group's boxes, which stand together where they are in order. */
static int
gather_group(struct dtx_step_builder *b, const struct boxes *boxes,
             bool is_in_order, struct group *group)
{
    int i;

    if (is_in_order) {
        group->boxes = boxes->array + group->first;
        return 0;
    }
    group->boxes = dtx_arena_alloc(&b->scratch, (size_t)group->count,
                                   sizeof *group->boxes);
    for (i = 0; i < group->count && group->boxes != NULL; i++) {
        group->boxes[i] =
            boxes->array[boxes->groups[group->first + (size_t)i].index];
    }
    return group->boxes == NULL ? -1 : 0;
}

/* Sets where a group's regions are kept, and makes its boxes relative to it.
 */
static int
set_kept(struct dtx_step_builder *b, const struct dtx_unit *unit,
         struct dtx_store_walk *kept, struct group *group,
         struct dtx_region *like, struct dtx_arena *arena)
{
    int ndim = unit->c->ndim, i, dim;
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX], at[DTX_NDIM_MAX];

    dtx_store_walk_find(kept, group->shard, lo, len);
    like->kept_offset = kept->offset;
    like->kept_shape = dtx_arena_copy(arena, len, (size_t)ndim, sizeof *len);
    if (like->kept_shape == NULL) {
        return -1;
    }
    for (i = 0; i < group->count; i++) {
        for (dim = 0; dim < ndim; dim++) {
            at[dim] = group->boxes[i].lo[dim] - lo[dim];
        }
        group->boxes[i].lo = keep(b, at, ndim);
        if (group->boxes[i].lo == NULL) {
            return -1;
        }
    }
    return 0;
}

/* ---------------------------------------------------------------- regions */

static int
add_group(struct dtx_step_builder *b, struct dtx_flow *flow,
          const struct dtx_unit *unit, struct dtx_store_walk *kept,
          struct group *group, struct dtx_arena *arena)
{
    bool reduces = !flow->outgoing && unit->c->dst->term_count == 1;
    struct dtx_region like = {.tensor = unit->tensor,
                              .term_count =
                                  reduces ? unit->c->src->term_count : 1};
    int status = dtx_unit_is_kept(unit, flow->outgoing)
                     ? set_kept(b, unit, kept, group, &like, arena)
                     : set_positions(b, flow, unit, group, &like, arena);

    return status != 0
               ? -1
               : dtx_regions_add(&flow->regions, unit->c->ndim, group->boxes,
                                 group->count, &like,
                                 dtx_region_wide(b->plan, &like, flow->outgoing,
                                                 unit->c->wire_bytes),
                                 arena);
}

/* Sorts the boxes' groups; true where they were in order. */
static bool
sort_groups(struct boxes *boxes)
{
    size_t i;

    for (i = 1; i < boxes->count; i++) {
        if (compare_grouped(&boxes->groups[i - 1], &boxes->groups[i]) > 0) {
            qsort(boxes->groups, boxes->count, sizeof *boxes->groups,
                  compare_grouped);
            return false;
        }
    }
    return true;
}

/* Makes regions of the unit's boxes, shard by shard. */
static int
add_regions(struct dtx_step_builder *b, struct dtx_flow *flow,
            const struct dtx_unit *unit, struct boxes *boxes)
{
    const struct grouped *all = boxes->groups;
    struct dtx_store_walk kept;
    bool is_in_order = sort_groups(boxes);
    size_t first = 0, i;

    dtx_store_walk_begin(&kept, flow->outgoing ? unit->c->src : unit->c->dst,
                         b->process, unit->part_counts, unit->part,
                         unit->c->wire_bytes, flow->kept_bytes);
    for (i = 1; i <= boxes->count; i++) {
        struct group group = {all[first].shard, all[first].position, first,
                              (int)(i - first), NULL};

        if (i < boxes->count && all[i].shard == group.shard &&
            all[i].position == group.position) {
            continue;
        }
        if (gather_group(b, boxes, is_in_order, &group) != 0 ||
            add_group(b, flow, unit, &kept, &group, boxes->arena) != 0) {
            return -1;
        }
        first = i;
    }
    return 0;
}

/* ---------------------------------------------------------------- units */

static int
add_links(struct dtx_step_builder *b, struct dtx_flow *flow,
          const struct dtx_unit *unit, const struct dtx_known_links *known,
          struct boxes *boxes)
{
    const struct dtx_links *links = &known->links;
    size_t i;

    if (unit->c->relays != NULL && dtx_unit_is_kept(unit, flow->outgoing)) {
        return dtx_relay_unit_add(b, flow, unit, links, boxes->arena);
    }
    for (i = 0; i < links->count; i++) {
        struct dtx_known_link link = dtx_known_link_at(known, i);

        if (add_link(b, flow, unit, &link, boxes) != 0) {
            return -1;
        }
    }
    return boxes->count > 0 ? add_regions(b, flow, unit, boxes) : 0;
}

/* Goes past what the unit has in the store that the flow reads or fills. */
static int
skip_kept(const struct dtx_step_builder *b, struct dtx_flow *flow,
          const struct dtx_unit *unit)
{
    bool is_kept = dtx_unit_is_kept(unit, flow->outgoing);

    if (unit->c->relays != NULL) {
        return unit->c->round > 0 && !is_kept
                   ? dtx_relay_unit_skip(b, flow, unit)
                   : 0;
    }
    if (is_kept) {
        flow->kept_bytes += dtx_store_bytes(
            flow->outgoing ? unit->c->src : unit->c->dst, b->process,
            unit->part_counts, unit->part, unit->c->wire_bytes);
    }
    return 0;
}

int
dtx_unit_add(struct dtx_step_builder *b, struct dtx_flow *flow,
             const struct dtx_unit *unit, struct dtx_arena *arena)
{
    const struct dtx_known_links *known;

    if (b->memory == NULL) {
        b->memory = dtx_alloc(1, sizeof *b->memory);
    }
    if (b->memory == NULL) {
        return -1;
    }
    known = dtx_known_links_find(&b->memory->known[flow->outgoing], unit->c,
                                 b->process, flow->outgoing);
    if (known == NULL) {
        return -1;
    }
    dtx_arena_reset(&b->scratch);
    b->memory->boxes.count = 0;
    b->memory->boxes.arena = arena;
    return add_links(b, flow, unit, known, &b->memory->boxes) != 0
               ? -1
               : skip_kept(b, flow, unit);
}

void
dtx_unit_memory_destroy(struct dtx_unit_memory *memory)
{
    if (memory != NULL) {
        dtx_known_links_finish(&memory->known[0]);
        dtx_known_links_finish(&memory->known[1]);
        dtx_free(memory->boxes.array);
        dtx_free(memory->boxes.groups);
        dtx_free(memory);
    }
}
