/*
 * A preload library in which time jumps: the calendar by days to and fro at
 * any call, and the clock that only goes forward by an hour now and then, as
 * after a machine has slept.
 *
 * CLOCK_SEED  which jumps it makes
 */
#define _GNU_SOURCE

/* The functions take the place of the system's. */
#pragma GCC visibility push(default)

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

enum { DAY = 86400, HOUR = 3600, CALLS_PER_HOUR = 1000 };

static atomic_ulong calls;

static int
real_time(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);

    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    }
    return real(clock, time);
}

/* A number of days, up to five to either side. */
static time_t
jump(unsigned long call)
{
    const char *seed = getenv("CLOCK_SEED");
    uint64_t mixed =
        (call + 1000 * strtoul(seed == NULL ? "" : seed, NULL, 10));

    mixed = (mixed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    mixed ^= mixed >> 29;
    return (time_t)(mixed % 11) - 5;
}

int
clock_gettime(clockid_t clock, struct timespec *time)
{
    unsigned long call = atomic_fetch_add(&calls, 1);
    int answer = real_time(clock, time);

    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        time->tv_sec += jump(call) * DAY;
    } else if (clock == CLOCK_MONOTONIC) {
        time->tv_sec += (time_t)(call / CALLS_PER_HOUR) * HOUR;
    }
    return answer;
}

time_t
time(time_t *out)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}

int
gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}
