#include "transport/pause.h"

#include <sched.h>
#include <time.h>

enum {
    SPIN_COUNT = 32,
    YIELD_COUNT = 128,
    SLEEP_FIRST_NS = 20000,
    SLEEP_LONGEST_NS = 200000,
    SLEEP_GROWTH_NS = 2000, /* for each further call */
};

static long
sleep_ns(int sleeps)
{
    long ns = SLEEP_LONGEST_NS;

    if (sleeps < (SLEEP_LONGEST_NS - SLEEP_FIRST_NS) / SLEEP_GROWTH_NS) {
        ns = SLEEP_FIRST_NS + (long)sleeps * SLEEP_GROWTH_NS;
    }
    return ns;
}

void
dtx_pause(int idle)
{
    struct timespec moment = {0};

    if (idle < SPIN_COUNT) {
        return;
    }
    if (idle < SPIN_COUNT + YIELD_COUNT) {
        sched_yield();
        return;
    }
    moment.tv_nsec = sleep_ns(idle - SPIN_COUNT - YIELD_COUNT);
    /* Woken early by a signal, the caller just tests once more. */
    (void)nanosleep(&moment, NULL);
}
