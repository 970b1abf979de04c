#include "plan/map/map.h"

#include <stdint.h>
#include <string.h>

static const char *const map_names[DTX_MAP_COUNT] = {"auto", "block", "cyclic"};

const char *
dtx_map_name(enum dtx_map map)
{
    return map_names[map];
}

bool
dtx_map_find(const char *name, enum dtx_map *out)
{
    int i;

    for (i = 0; i < DTX_MAP_COUNT; i++) {
        if (strcmp(name, map_names[i]) == 0) {
            *out = (enum dtx_map)i;
            return true;
        }
    }
    return false;
}

void
dtx_map_fill(enum dtx_map map, const struct dtx_procs *procs, int positions,
             int *processes_out)
{
    int i;

    for (i = 0; i < positions; i++) {
        int proc = map == DTX_MAP_CYCLIC
                       ? i % procs->count
                       : (int)((int64_t)i * procs->count / positions);

        processes_out[i] = procs->processes[proc];
    }
}
