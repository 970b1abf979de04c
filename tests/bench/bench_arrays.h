/*
 * Two ways to move a matrix between block layouts on four processes.
 *
 * Element i of the row-major matrix is i, so that each can check what came.
 */
#ifndef TESTS_BENCH_ARRAYS_H
#define TESTS_BENCH_ARRAYS_H

#include <stdint.h>

enum { ARRAYS_PROCESSES = 4, ARRAYS_WAYS = 2 };

/* Grids of processes, rows x columns, whose blocks are one each. */
struct arrays_case {
    const char *name;
    int src_grid[2], dst_grid[2];
};

/* All operations are collective, and end the job where they fail. */
struct arrays_way {
    const char *name;
    void (*run)(struct arrays_way *way);
    void (*check)(struct arrays_way *way);
    void (*destroy)(struct arrays_way *way);
};

struct arrays_way *engine_way_create(const struct arrays_case *c,
                                     int64_t order);

/* NULL where ScaLAPACK isn't there. */
struct arrays_way *scalapack_way_create(const struct arrays_case *c,
                                        int64_t order);

#endif
