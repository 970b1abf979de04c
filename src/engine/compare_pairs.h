/*
 * Pairs: the tensors that two checkpoints have in common, while their values
 * are compared.
 */
#ifndef DTX_ENGINE_COMPARE_PAIRS_H
#define DTX_ENGINE_COMPARE_PAIRS_H

#include <dtx/verify.h>

#include "engine/held.h"
#include "engine/tally.h"
#include "engine/turns.h"
#include "transport/transport.h"

/* A tensor that both have. */
struct pair {
    struct dtx_difference difference;
    int tensors[2]; /* in the holdings */
    bool by_digest;
    bool is_compared; /* its values are */
    struct tally tally;
    uint64_t sums[2];
};

struct comparing {
    struct dtx_transport *transport;
    const struct dtx_compare_options *options;
    struct held_reader readers[2];
    char *work;
    size_t work_bytes;
    struct dtx_comparison *result;
    size_t pair_count, pair_capacity;
    struct pair *pairs;
    struct turns turns;
    uint64_t bytes_read;
};

/* Compares the values of all pairs, each process a part of them, and puts
 * together what they found. Collective and settled. */
enum dtx_status compare_values(struct comparing *c, struct dtx_error *err);

#endif
