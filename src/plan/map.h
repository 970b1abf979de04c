/*
 * Maps: which process hosts which rank. Each hosts at most
 * ceil(ranks / processes) of a mesh.
 */
#ifndef DTX_PLAN_MAP_H
#define DTX_PLAN_MAP_H

#include <dtx/plan.h>

/* processes_out [positions] the process of each position. */
void dtx_map_fill(enum dtx_map map, int positions, int process_count,
                  int *processes_out);

#endif
