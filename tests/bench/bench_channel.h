/*
 * What bench-channel measures, and what a program would write by hand instead
 * of a channel.
 */
#ifndef TESTS_BENCH_CHANNEL_H
#define TESTS_BENCH_CHANNEL_H

#include <dtx/channel.h>
#include <dtx/mpi.h>

enum { TENSORS_MOST = 256, NAME_BYTES = 16, PROCESSES_MOST = 64 };

/* A reshard: which dim each end divides among which processes; -1: none. */
struct reshard {
    const char *name;
    int source_dim, target_dim;
    bool is_disjoint; /* the first half sends to the second */
    int tensor_count;
};

/* A box on its way, in both arrays' own indices. */
struct move {
    int tensor, src, dst;
    int sizes[2][2], starts[2][2], len[2]; /* [source, target][dim] */
};

/* The types of MPI_Alltoallw, by process. */
struct types {
    int counts[2][PROCESSES_MOST], zeros[PROCESSES_MOST];
    MPI_Datatype types[TENSORS_MOST][2][PROCESSES_MOST];
};

struct bench {
    const struct reshard *r;
    int process, process_count;
    int end_counts[2], end_first[2]; /* processes of each end */
    int64_t shape[2];
    float *arrays[2][TENSORS_MOST];
    int move_count, move_capacity;
    struct move *moves; /* this process's own */
    struct dtx_channel *channel;
    struct types *types; /* of the one by MPI_Alltoallw */
    char *out, *in;      /* of the hand-written one */
};

void make_types(const struct bench *b, struct types *types);
void free_types(const struct bench *b, struct types *types);

/* Make all moves of a process. Collective. */
void run_alltoallw(struct bench *b);
void run_by_hand(struct bench *b);

#endif
