/*
 * A double of the guard: it answers what it was told to, as far as it was told
 * to, whatever it is asked. It stands in for dtx_guard_serve(), so a program
 * has either.
 */
#ifndef DTX_TESTS_STORAGE_GUARD_DOUBLE_H
#define DTX_TESTS_STORAGE_GUARD_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "storage/guard/guard_form.h"

enum double_end {
    DOUBLE_STANDS_STILL, /* as one that was stopped, or waits for nothing */
    DOUBLE_LEAVES,
    DOUBLE_GOES_ON /* to the next request */
};

struct double_play {
    bool is_deaf;           /* takes no request */
    int wait_ms;            /* before each answer */
    struct guard_head head; /* its serial is added to the request's */
    const void *body;
    size_t body_bytes; /* that there are, whatever the head says */
    size_t said;       /* of both together */
    int pieces;        /* with a wait before each; 0: one */
    enum double_end end;
};

/* What doubles that start from now on do. */
extern struct double_play double_play;

#endif
