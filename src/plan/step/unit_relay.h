/*
 * What relays keep in memory between rounds, share by share.
 */
#ifndef DTX_PLAN_STEP_UNIT_RELAY_H
#define DTX_PLAN_STEP_UNIT_RELAY_H

#include "plan/step/flow.h"
#include "plan/step/link.h"

/* Adds, of a unit whose end in the flow's direction is in memory, what the
 * links say. Returns -1 when out of memory. */
int dtx_relay_unit_add(struct dtx_step_builder *b, struct dtx_flow *flow,
                       const struct dtx_unit *unit,
                       const struct dtx_links *links, struct dtx_arena *arena);

/* Leaves the room of a unit that is kept, or was, where this round's end in the
 * flow's direction is elsewhere: what is kept behind it stays where it is.
 * Returns -1 when out of memory. */
int dtx_relay_unit_skip(const struct dtx_step_builder *b, struct dtx_flow *flow,
                        const struct dtx_unit *unit);

#endif
