#include "plan/step/unit_relay.h"

#include "plan/step/box_walk.h"
#include "plan/step/link_find.h"
#include "util/alloc.h"

/* The shares of a unit that a process has before the last round, in the order
 * of source shard, target shard and share, and where each is kept. */
struct stored {
    struct dtx_links links;
    size_t *offsets; /* [links.count + 1] bytes; the last: the end */
};

/* The shares that a process sends itself in the last round. */
static int
list_stored(const struct dtx_class *c, int process, struct dtx_links *stored)
{
    struct dtx_links all = {0};
    size_t i;
    int failed;

    while (c->next != NULL) {
        c = c->next;
    }
    failed = dtx_links_incoming(c, process, &all);
    for (i = 0; i < all.count && !failed; i++) {
        if (all.array[i].peer == process) {
            failed = dtx_links_add(stored, all.array[i]);
        }
    }
    dtx_links_finish(&all);
    return failed;
}

static size_t
link_bytes(const struct dtx_unit *unit, const struct dtx_link *link)
{
    struct dtx_box_walk walk;
    int64_t elements = 0;

    dtx_box_walk_begin(&walk, unit->c, link, unit->part_counts, unit->part);
    while (dtx_box_walk_next(&walk)) {
        elements += dtx_box_walk_elements(&walk);
    }
    return (size_t)elements * unit->c->wire_bytes;
}

static int
stored_begin(struct stored *s, const struct dtx_unit *unit, int process,
             size_t begin)
{
    size_t i;

    *s = (struct stored){0};
    if (list_stored(unit->c, process, &s->links) != 0) {
        return -1;
    }
    s->offsets = dtx_alloc(s->links.count + 1, sizeof *s->offsets);
    if (s->offsets == NULL) {
        return -1;
    }
    s->offsets[0] = begin;
    for (i = 0; i < s->links.count; i++) {
        s->offsets[i + 1] =
            s->offsets[i] + link_bytes(unit, &s->links.array[i]);
    }
    return 0;
}

static void
stored_finish(struct stored *s)
{
    dtx_links_finish(&s->links);
    dtx_free(s->offsets);
}

static bool
is_before(const struct dtx_link *a, const struct dtx_link *b)
{
    if (a->src_shard != b->src_shard) {
        return a->src_shard < b->src_shard;
    }
    return a->dst_shard != b->dst_shard ? a->dst_shard < b->dst_shard
                                        : a->share < b->share;
}

/* Where a link's share is kept. */
static size_t
find_stored(const struct stored *s, const struct dtx_link *link)
{
    size_t lo = 0, hi = s->links.count;

    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;

        if (is_before(&s->links.array[middle], link)) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return s->offsets[lo];
}

/* Appends the box that a walk stands on, which is kept by itself. */
static int
add_box(struct dtx_step_builder *b, struct dtx_flow *flow,
        const struct dtx_unit *unit, const struct dtx_link *link,
        const struct dtx_box_walk *walk, size_t offset, struct dtx_arena *arena)
{
    size_t ndim = (size_t)unit->c->ndim;
    int64_t *global = dtx_arena_alloc(arena, ndim, sizeof *global);
    int64_t *len = dtx_arena_alloc(arena, ndim, sizeof *len);
    int64_t *zeros = dtx_arena_alloc(arena, ndim, sizeof *zeros);
    int message = dtx_flow_message(b, flow, link->peer);
    struct dtx_regions *r = &flow->regions;

    if (global == NULL || len == NULL || zeros == NULL || message < 0 ||
        dtx_grow(&r->array, r->count, &r->capacity, sizeof *r->array) != 0 ||
        dtx_grow(&r->slices, r->slice_count, &r->slice_capacity,
                 sizeof *r->slices) != 0) {
        return -1;
    }
    dtx_box_walk_get(walk, DTX_INDICES_GLOBAL, global, len);
    r->array[r->count++] =
        (struct dtx_region){.tensor = unit->tensor,
                            .lo = zeros,
                            .len = len,
                            .kept_shape = len,
                            .kept_offset = offset,
                            .term_count = 1,
                            .slice_first = (int)r->slice_count,
                            .slice_count = 1};
    r->slices[r->slice_count++] =
        (struct dtx_slice){.lo = zeros,
                           .len = len,
                           .global = global,
                           .copy_count = 1,
                           .message = message,
                           .offset = flow->messages[message].bytes};
    flow->messages[message].bytes +=
        (size_t)dtx_box_walk_elements(walk) * unit->c->wire_bytes;
    return 0;
}

static int
add_link(struct dtx_step_builder *b, struct dtx_flow *flow,
         const struct dtx_unit *unit, const struct dtx_link *link,
         size_t offset, struct dtx_arena *arena)
{
    struct dtx_box_walk walk;

    dtx_box_walk_begin(&walk, unit->c, link, unit->part_counts, unit->part);
    while (dtx_box_walk_next(&walk)) {
        if (add_box(b, flow, unit, link, &walk, offset, arena) != 0) {
            return -1;
        }
        offset += (size_t)dtx_box_walk_elements(&walk) * unit->c->wire_bytes;
    }
    return 0;
}

int
dtx_relay_unit_skip(const struct dtx_step_builder *b, struct dtx_flow *flow,
                    const struct dtx_unit *unit)
{
    struct stored s;
    int failed = stored_begin(&s, unit, b->process, flow->kept_bytes);

    if (!failed) {
        flow->kept_bytes = s.offsets[s.links.count];
    }
    stored_finish(&s);
    return failed;
}

int
dtx_relay_unit_add(struct dtx_step_builder *b, struct dtx_flow *flow,
                   const struct dtx_unit *unit, const struct dtx_links *links,
                   struct dtx_arena *arena)
{
    struct stored s;
    int failed = stored_begin(&s, unit, b->process, flow->kept_bytes);
    size_t i;

    for (i = 0; i < links->count && !failed; i++) {
        const struct dtx_link *link = &links->array[i];

        failed = add_link(b, flow, unit, link, find_stored(&s, link), arena);
    }
    if (!failed) {
        flow->kept_bytes = s.offsets[s.links.count];
    }
    stored_finish(&s);
    return failed ? -1 : 0;
}
