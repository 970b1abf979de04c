/*
 * Hosts: the processes that may have ranks of a mesh.
 */
#ifndef DTX_PLAN_HOSTS_H
#define DTX_PLAN_HOSTS_H

#include <stdbool.h>

#include <dtx/plan.h>

#include "util/arena.h"

struct dtx_hosts {
    int count;
    const int *processes; /* [count] ascending */
    int most;             /* positions on one: ceil(positions / count) */
};

/*
 * Sets the hosts of the source's or the target's mesh from the options.
 *
 * Fails with DTX_ERR_INVALID where there is no such process.
 */
enum dtx_status dtx_hosts_set(struct dtx_hosts *hosts, struct dtx_arena *arena,
                              const struct dtx_plan_options *options,
                              int position_count, bool is_source,
                              struct dtx_error *err);

bool dtx_hosts_include(const struct dtx_hosts *hosts, int process);

/* True where all others are among the hosts. */
bool dtx_hosts_cover(const struct dtx_hosts *hosts,
                     const struct dtx_hosts *others);

#endif
