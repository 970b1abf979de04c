/*
 * Swaps: processes, simulated or not, that move the tensors of a scene from
 * arrays to arrays.
 */
#ifndef TESTS_CHANNEL_SWAP_H
#define TESTS_CHANNEL_SWAP_H

#include <dtx/channel.h>

#include "support/random.h"
#include "support/scene.h"

enum { SWAP_PROCESSES_MOST = 8, SWAP_POSITIONS_MOST = 16 };

/* A shard in memory, perhaps with gaps between its elements. */
struct swap_array {
    struct dtx_array array;
    int64_t shape[CASE_NDIM_MOST];
    int64_t strides[CASE_NDIM_MOST];
    size_t bytes; /* of the memory it is in */
    char *memory; /* NULL: the position holds nothing of the tensor */
};

struct swap {
    const struct layout_case *text;
    struct scene scene;
    struct dtx_layout *layouts[2]; /* of memory */
    struct dtx_catalog *catalog;
    struct dtx_plan_options options;
    int maps[2][SWAP_POSITIONS_MOST];
    bool meets; /* by offers, instead of a plan that all have */
    int run_count;
    struct swap_array arrays[2][SWAP_POSITIONS_MOST][CASE_TENSORS_MOST];
    enum dtx_status status[SWAP_PROCESSES_MOST];
    struct dtx_error err[SWAP_PROCESSES_MOST];
};

/* Any strategy; memory_most 0: enough memory. */
struct dtx_plan_options swap_options(struct random *random, int process_count,
                                     uint64_t memory_most);

/* Parses the layouts, picks maps, fills the source's arrays. */
void swap_begin(struct swap *swap, const struct layout_case *text,
                const struct dtx_plan_options *options, struct random *random);
/* What a process of the swap does; sets its status. Collective. */
void swap_work(struct swap *swap, struct dtx_transport *transport);
/* Ends the test unless all that a process's arrays of the target hold is
 * right. */
void swap_check(const struct swap *swap, int process);
void swap_finish(struct swap *swap);

/* Has about half of the arrays stand in the memory of the double of a device.
 * is_open: its addresses are the host's. */
void swap_use_devices(struct swap *swap, bool is_open, struct random *random);

/* What this swap is, for messages. Static text. */
const char *swap_describe(const struct swap *swap);

#endif
