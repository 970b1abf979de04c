/*
 * Random numbers for tests: the seed is printed, and DTX_TEST_SEED repeats it.
 */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct random {
    uint64_t state;
};

/* SplitMix64. */
static inline uint64_t
random_next(struct random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* A number in [0, bound); bound > 0. */
static inline uint64_t
random_below(struct random *random, uint64_t bound)
{
    return random_next(random) % bound;
}

/* A number from first to last. */
static inline int
random_pick(struct random *random, int first, int last)
{
    return first + (int)random_below(random, (uint64_t)(last - first + 1));
}

/* True in so many of a hundred cases. */
static inline bool
random_chance(struct random *random, int percent)
{
    return random_pick(random, 1, 100) <= percent;
}

static inline struct random
random_begin(void)
{
    const char *given = getenv("DTX_TEST_SEED");
    struct timespec now;
    struct random random;

    clock_gettime(CLOCK_REALTIME, &now);
    random.state = given != NULL ? strtoull(given, NULL, 10)
                                 : (uint64_t)now.tv_sec * 1000000000u +
                                       (uint64_t)now.tv_nsec;
    fprintf(stderr, "DTX_TEST_SEED=%llu\n", (unsigned long long)random.state);
    return random;
}

#endif
