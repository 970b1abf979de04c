/*
 * Units: what one part of one tensor adds to a step.
 *
 * The links of a process are expanded into boxes; each box gets its place in
 * the message with the link's peer, and the boxes of each shard are gathered
 * into regions.
 */
#ifndef DTX_PLAN_STEP_UNIT_H
#define DTX_PLAN_STEP_UNIT_H

#include "plan/step/flow.h"

/*
 * Adds what the builder's process does for a unit in the flow's direction.
 * lo, len and positions are in the arena. Returns -1 when out of memory.
 */
int dtx_unit_add(struct dtx_step_builder *b, struct dtx_flow *flow,
                 const struct dtx_unit *unit, struct dtx_arena *arena);

/* Frees what adding units has set in a builder; NULL is none. */
void dtx_unit_memory_destroy(struct dtx_unit_memory *memory);

#endif
