#include "plan/hosts.h"

#include <stdlib.h>

#include "util/error.h"
#include "util/math.h"

static int
compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left;
    int b = *(const int *)right;

    return a < b ? -1 : a > b;
}

bool
dtx_hosts_include(const struct dtx_hosts *hosts, int process)
{
    return bsearch(&process, hosts->processes, (size_t)hosts->count,
                   sizeof process, compare_ints) != NULL;
}

bool
dtx_hosts_cover(const struct dtx_hosts *hosts, const struct dtx_hosts *others)
{
    int i;

    for (i = 0; i < others->count; i++) {
        if (!dtx_hosts_include(hosts, others->processes[i])) {
            return false;
        }
    }
    return true;
}

/* Sorts, and drops what is given twice; returns how many are left. */
static int
make_set(int *processes, int count)
{
    int kept = 0, i;

    qsort(processes, (size_t)count, sizeof *processes, compare_ints);
    for (i = 0; i < count; i++) {
        if (kept == 0 || processes[kept - 1] != processes[i]) {
            processes[kept++] = processes[i];
        }
    }
    return kept;
}

enum dtx_status
dtx_hosts_set(struct dtx_hosts *hosts, struct dtx_arena *arena,
              const struct dtx_plan_options *options, int position_count,
              bool is_source, struct dtx_error *err)
{
    int given = is_source ? options->src_proc_count : options->dst_proc_count;
    const int *procs = is_source ? options->src_procs : options->dst_procs;
    int count = given > 0 ? given : options->process_count;
    int *processes = dtx_arena_alloc(arena, (size_t)count, sizeof(int));
    int i;

    if (processes == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < count; i++) {
        processes[i] = given > 0 ? procs[i] : i;
        if (processes[i] < 0 || processes[i] >= options->process_count) {
            return dtx_error_set(
                err, DTX_ERR_INVALID,
                "process %d can't %s: there are %d process%s, counted from 0",
                processes[i],
                is_source ? "read the source" : "write the target",
                options->process_count,
                options->process_count == 1 ? "" : "es");
        }
    }
    hosts->processes = processes;
    hosts->count = make_set(processes, count);
    hosts->most = (int)dtx_ceil_div(position_count, hosts->count);
    return DTX_OK;
}
