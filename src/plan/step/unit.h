/*
 * Units: what one part of one tensor adds to a step.
 *
 * The links of a process are expanded into boxes; each box gets its place in
 * the message with the link's peer, and the boxes of each shard are gathered
 * into regions.
 */
#ifndef DTX_PLAN_STEP_UNIT_H
#define DTX_PLAN_STEP_UNIT_H

#include "plan/step/region.h"
#include "plan/step/step.h"

/* One direction of a step while it is built. */
struct dtx_flow {
    bool outgoing;
    struct dtx_message *messages;
    size_t count, capacity;
    struct dtx_regions regions;
    size_t kept_bytes; /* of the units so far, in the store it reads or fills */
};

/* The unit that is being added: one part of one tensor. */
struct dtx_unit {
    int tensor;
    const struct dtx_class *c;  /* the round of it */
    const int64_t *part_counts; /* [ndim] */
    int64_t part[DTX_NDIM_MAX]; /* which of them */
};

/* True where the direction's end of a round is in memory. */
static inline bool
dtx_unit_is_kept(const struct dtx_unit *unit, bool outgoing)
{
    return outgoing ? unit->c->round > 0 : unit->c->next != NULL;
}

/* The index of the message with a peer, made if it is new; -1 when out of
 * memory. */
int dtx_flow_message(struct dtx_step_builder *b, struct dtx_flow *flow,
                     int peer);

/*
 * Adds what the builder's process does for a unit in the flow's direction.
 * lo, len and positions are in the arena. Returns -1 when out of memory.
 */
int dtx_unit_add(struct dtx_step_builder *b, struct dtx_flow *flow,
                 const struct dtx_unit *unit, struct dtx_arena *arena);

/* Frees what adding units has set in a builder; NULL is none. */
void dtx_unit_memory_destroy(struct dtx_unit_memory *memory);

#endif
