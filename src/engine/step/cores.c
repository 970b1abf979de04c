#define _GNU_SOURCE /* sched_getaffinity */

#include "engine/step/cores.h"

#include <sched.h>
#include <unistd.h>

#include "transport/transport.h"

static int
neighbour_count(const struct dtx_transport *transport)
{
    int own = dtx_transport_node(transport, transport->process);
    int i, count = 0;

    for (i = 0; i < transport->process_count; i++) {
        count += dtx_transport_node(transport, i) == own;
    }
    return count;
}

int
engine_own_cores(const struct dtx_transport *transport)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int cores = online > 0 ? (int)online : 1;
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int allowed = CPU_COUNT(&set);

        /* Bound to a part of the node, as launchers do it. A machine with
         * more cores than a set holds fails above. */
        if (allowed > 0 && allowed < cores) {
            return allowed;
        }
    }
    cores /= neighbour_count(transport);
    return cores > 0 ? cores : 1;
}
