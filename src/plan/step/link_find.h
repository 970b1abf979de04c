/*
 * Finding the links that a process has in a round of a class.
 */
#ifndef DTX_PLAN_STEP_LINK_FIND_H
#define DTX_PLAN_STEP_LINK_FIND_H

#include "plan/class/class.h"
#include "plan/step/link.h"

/* Appends the links of a process. Return -1 when out of memory. */
int dtx_links_outgoing(const struct dtx_class *c, int process,
                       struct dtx_links *links);
int dtx_links_incoming(const struct dtx_class *c, int process,
                       struct dtx_links *links);

#endif
