#include "engine/clock.h"

#include <time.h>

static const uint64_t second_ns = 1000000000;

uint64_t
engine_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * second_ns + (uint64_t)now.tv_nsec;
}

double
engine_seconds_since(uint64_t then_ns)
{
    return (double)(engine_now_ns() - then_ns) / 1e9;
}

struct engine_beat
engine_beat_begin(void)
{
    uint64_t now = engine_now_ns();

    return (struct engine_beat){now, now + second_ns};
}

bool
engine_beat_is_due(struct engine_beat *beat, double *seconds_out)
{
    uint64_t now = engine_now_ns();

    if (now < beat->next_ns) {
        return false;
    }
    beat->next_ns = now + second_ns;
    *seconds_out = (double)(now - beat->begin_ns) / 1e9;
    return true;
}
