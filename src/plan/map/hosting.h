/*
 * Hosting: the question of which process hosts which rank, as an assignment.
 *
 * One mesh moves while the other stays on its processes. A position of the
 * mesh that moves is worth, on a process, the bytes of its shards that the
 * process has already in shards of the other mesh, each once: what then need
 * not travel. Positions that hold the same are one row of the assignment, and
 * processes that have the same one column, so that replicas cost nothing.
 *
 * What is worth the same on every process decides nothing and is left out.
 * Dims that don't tell pieces apart, because each source piece shares as much
 * with each target piece, are never walked: of a tensor that is sharded by
 * rows in the source and by columns in the target nothing is left.
 *
 * Where bytes don't tell processes apart, the process that `block` gives is
 * taken: it is worth a fraction of a byte more.
 */
#ifndef DTX_PLAN_MAP_HOSTING_H
#define DTX_PLAN_MAP_HOSTING_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/map/map.h"
#include "plan/plan.h"

struct dtx_hosting {
    const struct dtx_plan *plan; /* its sides have their processes */
    bool moves_target;           /* or else the source */
    bool bundles; /* positions that hold the same stay together, as far as
                     they fit on a process */
    struct dtx_procs procs; /* of the mesh that moves */
    const int *block;       /* [positions] what `block` gives them */
};

/*
 * Finds the processes of a mesh's positions.
 *
 * processes_out  [positions]
 * excess_out     no hosting keeps more bytes in place than this one and these;
 *                0 where the assignment is proven to be best
 *
 * Returns -1 when out of memory.
 */
int dtx_hosting_solve(const struct dtx_hosting *hosting, int *processes_out,
                      uint64_t *excess_out);

#endif
