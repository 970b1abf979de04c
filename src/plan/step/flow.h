/*
 * Flows: one direction of a step while it is built, unit by unit.
 */
#ifndef DTX_PLAN_STEP_FLOW_H
#define DTX_PLAN_STEP_FLOW_H

#include "plan/step/region.h"
#include "plan/step/step.h"

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

/* Puts the messages in rotation. Returns -1 when out of memory. */
int dtx_flow_rotate(struct dtx_step_builder *b, struct dtx_flow *flow);

/* Lets the builder go on to another flow. */
void dtx_flow_forget(struct dtx_step_builder *b, const struct dtx_flow *flow);

void dtx_flow_finish(struct dtx_flow *flow);

#endif
