/*
 * Filling: units are put into a run until no more has room.
 */
#ifndef DTX_PLAN_STEP_FILLING_H
#define DTX_PLAN_STEP_FILLING_H

#include "plan/step/load.h"
#include "util/arena.h"

/* Bytes of a process in one run of units at most, in any of its rounds. */
struct dtx_run_limits {
    bool overlaps;  /* runs with relays overlap */
    uint64_t relay; /* of units with relays */
    uint64_t all;   /* of all units together */
    uint64_t slabs; /* the same, of a run that is alone in its steps */
};

/* The load of every process. */
struct dtx_run_sums {
    uint64_t *bytes; /* [process_count] by classes of few processes */
    int *touched;    /* processes with bytes > 0 */
    int touched_count;
    uint64_t most;  /* of bytes */
    uint64_t dense; /* on top, of every process */
};

/* The most that a run has of a process. */
struct dtx_run_sizes {
    uint64_t all, relay;
};

/* The run that is being filled. */
struct dtx_filling {
    struct dtx_run_sums all, relay; /* of all units, and of those with relays */
    bool is_empty;
    bool has_slabs, has_relays; /* units that keep something in this way */
    struct dtx_run_sizes most;  /* of all runs so far */
};

struct dtx_class_load {
    bool has_slabs, has_relays;
    struct dtx_load *loads; /* NULL: dense */
    int count;
    uint64_t most;
};

/* Makes it empty. Its lists are in the arena; returns -1 when out of memory. */
int dtx_filling_begin(struct dtx_filling *f, size_t process_count,
                      struct dtx_arena *arena);

/* Begins the next run. */
void dtx_filling_clear(struct dtx_filling *f);

/* How many units of a class the run has room for; an empty one has for one of
 * any size. */
int64_t dtx_filling_room(const struct dtx_filling *f,
                         const struct dtx_class_load *load,
                         const struct dtx_run_limits *limits);

/* Adds so many units of a class, >= 1. */
void dtx_filling_add(struct dtx_filling *f, const struct dtx_class_load *load,
                     int64_t units);

/* The same where nothing more has room then, and begins the next run; quick
 * where it was empty. */
void dtx_filling_fill(struct dtx_filling *f, const struct dtx_class_load *load,
                      int64_t units);

#endif
