/*
 * Maps: which process hosts which rank.
 */
#ifndef DTX_PLAN_MAP_MAP_H
#define DTX_PLAN_MAP_MAP_H

#include "plan/map/procs.h"

/*
 * Fills in a map: `block` gives each process neighbouring positions, `cyclic`
 * goes round; `auto` starts as `block`.
 *
 * processes_out  [positions] the process of each
 */
void dtx_map_fill(enum dtx_map map, const struct dtx_procs *procs,
                  int positions, int *processes_out);

#endif
