/*
 * How much memory a process may use for data, and what it is by default.
 */
#ifndef DTX_CLI_MEMORY_H
#define DTX_CLI_MEMORY_H

#include <stdint.h>

#include "options.h"
#include "session.h"

/*
 * The least memory limit of this process's control groups (versions 1 and 2,
 * parents included), or UINT64_MAX where there is none.
 *
 * root  stands before /proc and /sys: "" but in tests
 */
uint64_t memory_group_limit(const char *root);

/*
 * What the batch job may use of this node, as Slurm says in the environment;
 * UINT64_MAX where it says nothing, or the whole node. Clusters that don't
 * hold jobs to it by control groups kill them.
 */
uint64_t memory_job_limit(void);

/* What this node, its control group or the batch job has in bytes. */
uint64_t memory_of_node(void);

/* A quarter of what the node has, divided by the processes on it, and never
 * less than 16 MiB: with less, hardly anything could be done at all. */
uint64_t memory_default(uint64_t node_bytes, int node_process_count);

/* What the arguments say, else the default of this node; nodes can differ, and
 * the least counts for all. Collective. */
enum dtx_status memory_choose(struct session *session,
                              const struct arguments *arguments,
                              int process_count, uint64_t *bytes_out,
                              struct dtx_error *err);

#endif
