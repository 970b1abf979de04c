/*
 * The machine by which times are predicted, and the file that tells of it.
 */
#ifndef DTX_CLI_MACHINE_H
#define DTX_CLI_MACHINE_H

#include <stdbool.h>

#include <dtx/machine.h>

#include "load.h"
#include "util/text.h"

/*
 * Adds the path of this machine's file in the user's configuration folder,
 * whether it is there or not: that of the cluster, where the scheduler names
 * one, else that of the host. False where the user has no such folder.
 */
bool machine_own_path(struct dtx_text *path);

/*
 * The machine that the arguments ask for: of the file that they name, else of
 * the machine's own file, else the default. With MPI the nodes are those of
 * the job. Process 0 reads the file, for all. Collective.
 */
enum dtx_status machine_choose(struct inputs *inputs, struct session *session,
                               const struct arguments *arguments,
                               struct dtx_machine *machine_out,
                               struct dtx_error *err);

#endif
