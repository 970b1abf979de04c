/*
 * Processes that may host ranks of a mesh.
 */
#ifndef DTX_PLAN_MAP_PROCS_H
#define DTX_PLAN_MAP_PROCS_H

#include <stdbool.h>

#include <dtx/plan.h>

#include "util/arena.h"

struct dtx_procs {
    int count;
    const int *processes; /* [count] ascending */
    int most;             /* positions on one: ceil(positions / count) */
};

/*
 * Sets the processes of the source's or the target's mesh from the options.
 *
 * Fails with DTX_ERR_INVALID where there is no such process.
 */
enum dtx_status dtx_procs_set(struct dtx_procs *procs, struct dtx_arena *arena,
                              const struct dtx_plan_options *options,
                              int position_count, bool is_source,
                              struct dtx_error *err);

bool dtx_procs_include(const struct dtx_procs *procs, int process);

/* True where all others are among the procs. */
bool dtx_procs_cover(const struct dtx_procs *procs,
                     const struct dtx_procs *others);

#endif
