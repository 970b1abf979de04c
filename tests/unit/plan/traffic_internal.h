/*
 * The inside of traffic; see traffic.h. traffic_step.c takes the steps of a
 * process in and holds what they read, write and keep against one another,
 * traffic.c moves the messages.
 */
#ifndef TESTS_PLAN_TRAFFIC_INTERNAL_H
#define TESTS_PLAN_TRAFFIC_INTERNAL_H

#include "plan/step/step.h"
#include "support/claim.h"
#include "support/random.h"
#include "traffic.h"

/* What one process sends another in a step, or gets: its bytes and the number
 * of what it holds. */
struct packet {
    int peer;
    uint64_t bytes;
    uint64_t number;
    bool is_cut; /* not all that it holds is taken */
};

/* A box that a process keeps. */
struct kept {
    uint64_t number;
    size_t offset, bytes;
    int64_t step; /* in which it came */
};

struct station {
    int process;
    struct packet *sends, *receives;
    int send_count, receive_count;
    int send_first, receive_first;   /* all before are done */
    int send_posted, receive_posted; /* all before are open or done */
    int send_open, receive_open;
    bool *send_done, *receive_done;
    struct kept *kept; /* by number */
    size_t kept_count;
    struct kept *next_kept; /* of this step */
    size_t next_count, next_capacity;
    int64_t step;
    uint64_t arrived; /* the number of all that was written */
};

struct network {
    const struct dtx_plan *plan;
    struct station *stations; /* [process_count] */
    struct random random;
    struct traffic traffic;
};

uint64_t mixed(uint64_t a, uint64_t b);

/* The number of an index of a dim, and the sum over those before. */
uint64_t sum_before(int tensor, int dim, int64_t index);

/* Takes a built step in. */
void take_step(struct network *n, struct station *s,
               const struct dtx_step *step);

/* What came in this step is there for others, in place of what was there. */
void end_step(struct station *s);

#endif
