/*
 * Rank files: on which host each rank of a target had better run.
 *
 * Line i names the host of the i-th rank. That is what SLURM_HOSTFILE holds
 * for `srun --distribution=arbitrary`, and a host file of MPICH's mpiexec,
 * which gives each line a process.
 */
#ifndef DTX_CLI_RANKFILE_H
#define DTX_CLI_RANKFILE_H

#include <dtx/layout.h>
#include <dtx/plan.h>

#include "options.h"

/*
 * Writes the hosts that the plan's map gives the target's ranks. The names of
 * the hosts come from a file, or from the Slurm allocation.
 *
 * Fails with DTX_ERR_INVALID where there are no names.
 */
enum dtx_status rankfile_write(const struct dtx_plan *plan,
                               const struct dtx_layout *target,
                               const struct arguments *arguments,
                               struct dtx_error *err);

#endif
