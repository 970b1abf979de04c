/*
 * The links of processes to relays, and of relays to their groups.
 */
#ifndef DTX_PLAN_STEP_LINK_RELAY_H
#define DTX_PLAN_STEP_LINK_RELAY_H

#include "plan/class/class.h"
#include "plan/step/link.h"

/* The links of a process in the class's round. Return -1 when out of memory. */
int dtx_relay_outgoing(const struct dtx_class *c, int process,
                       struct dtx_links *links);
int dtx_relay_incoming(const struct dtx_class *c, int process,
                       struct dtx_links *links);

#endif
