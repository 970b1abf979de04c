/*
 * Steps: what one process does between two agreements.
 *
 * A step has messages to and from peers (itself among them: what it keeps
 * goes through a buffer of its own), regions of source datasets to read and
 * regions of target datasets to write. A slice ties a box of a region to its
 * place in a message; slices of one message lie one after another, dense and
 * row-major, in an order that both ends find by themselves: unit, source
 * shard, target shard, and box. A process that gets more than it writes takes
 * parts of such boxes.
 *
 * Messages stand in rotation: those that a process sends from the one to
 * itself on upwards, by the number of the peer, those that it receives
 * downwards. With DTX_STEP_PEERS_MOST of them under way at a time, the first
 * ones first, all come to their end: of all messages that are left, the
 * one between the nearest processes is the first at both ends. So no process
 * takes from more peers at a time, however many send to it.
 */
#ifndef DTX_PLAN_STEP_STEP_H
#define DTX_PLAN_STEP_STEP_H

#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

/* Of each direction, so many messages of a step are under way at most. */
enum { DTX_STEP_PEERS_MOST = 32 };

struct dtx_unit_memory;

struct dtx_slice {
    const int64_t *lo;     /* [ndim] relative to the region */
    const int64_t *len;    /* [ndim] */
    const int64_t *global; /* [ndim] the tensor's index of its first element */
    int copy;              /* of an element's copies, over all processes, this
                              is one, the same at both ends; 0 is the first */
    int copy_count;
    int message;   /* index into sends (reads) or receives (writes) */
    int term;      /* of a pending reduction; else 0 */
    size_t offset; /* bytes in the message, of the box below if any */
    /* Where only a part of a box in the message is meant, the box's lengths
     * and where the part begins in it. [ndim], or NULL: all of it. */
    const int64_t *box_len, *box_lo;
};

/* A box of a dataset, or of a box that is kept between rounds, read or written
 * as a whole; its slices cover it. */
struct dtx_region {
    int tensor;
    int position_count;
    const int *positions;      /* read: one; write: each writes a dataset */
    const int64_t *lo;         /* [ndim] in the dataset or the kept box */
    const int64_t *len;        /* [ndim] */
    const int64_t *kept_shape; /* [ndim] of the kept box, which is dense and of
                                  elements as they travel; NULL: a dataset */
    size_t kept_offset;        /* bytes in the process's store */
    int term_count; /* that are reduced when it is written; 1: none */
    int slice_first;
    int slice_count;
};

struct dtx_message {
    int peer;
    size_t bytes;
};

struct dtx_step {
    struct dtx_arena arena;
    int send_count;
    struct dtx_message *sends;
    int receive_count;
    struct dtx_message *receives;
    int self_send; /* index of the message to itself, or -1; it has the same
                      bytes as the receive self_receive */
    int self_receive;
    int read_count;
    struct dtx_region *reads;
    struct dtx_slice *read_slices;
    int write_count;
    struct dtx_region *writes;
    struct dtx_slice *write_slices;
    /* The messages go by a collective exchange; alike on all processes. */
    bool is_collective;
    bool follows; /* it reads what the step before it keeps */
    /* bytes, as the plan counts them */
    uint64_t read, kept, passed, sent, received, written;
};

/* What building steps needs again and again. `= {0}` is empty. */
struct dtx_step_builder {
    const struct dtx_plan *plan;
    int process;
    int first_tensor;  /* those before it are left out of all steps */
    int *peer_message; /* [process_count] index of its message, or -1 */
    struct dtx_unit_memory *memory; /* of unit.c; NULL before the first unit */
    struct dtx_arena scratch;
};

enum dtx_status dtx_step_builder_init(struct dtx_step_builder *builder,
                                      const struct dtx_plan *plan, int process,
                                      struct dtx_error *err);
void dtx_step_builder_finish(struct dtx_step_builder *builder);

/*
 * Builds a step of the plan's schedule for the builder's process.
 *
 * step  `= {0}` or one built before, whose memory is reused
 */
enum dtx_status dtx_step_build(struct dtx_step_builder *builder, int64_t index,
                               struct dtx_step *step, struct dtx_error *err);
void dtx_step_finish(struct dtx_step *step);

#endif
