#include "plan/map/procs.h"

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
dtx_procs_include(const struct dtx_procs *procs, int process)
{
    return bsearch(&process, procs->processes, (size_t)procs->count,
                   sizeof process, compare_ints) != NULL;
}

bool
dtx_procs_cover(const struct dtx_procs *procs, const struct dtx_procs *others)
{
    int i;

    for (i = 0; i < others->count; i++) {
        if (!dtx_procs_include(procs, others->processes[i])) {
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
dtx_procs_set(struct dtx_procs *procs, struct dtx_arena *arena,
              const struct dtx_plan_options *options, int position_count,
              bool is_source, struct dtx_error *err)
{
    int given = is_source ? options->src_proc_count : options->dst_proc_count;
    const int *list = is_source ? options->src_procs : options->dst_procs;
    int count = given > 0 ? given : options->process_count;
    int *processes = dtx_arena_alloc(arena, (size_t)count, sizeof(int));
    int i;

    if (processes == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < count; i++) {
        processes[i] = given > 0 ? list[i] : i;
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
    procs->processes = processes;
    procs->count = make_set(processes, count);
    procs->most = (int)dtx_ceil_div(position_count, procs->count);
    return DTX_OK;
}
