/*
 * Pairs: what two checkpoints have in common, while it is compared.
 */
#ifndef DTX_ENGINE_COMPARE_COMPARE_PAIRS_H
#define DTX_ENGINE_COMPARE_COMPARE_PAIRS_H

#include <dtx/verify.h>

#include "engine/compare/held.h"
#include "engine/compare/tally.h"
#include "engine/compare/turns.h"
#include "transport/transport.h"

/* A tensor that both have. */
struct pair {
    struct dtx_difference difference;
    int tensors[2]; /* in the holdings */
    bool by_digest;
    bool is_compared;  /* its values are */
    bool is_summed[2]; /* the sum is known without reading boxes */
    struct tally tally;
    uint64_t sums[2];
};

/* An object or group that both have. */
struct twin {
    struct dtx_difference difference;
    int objects[2]; /* in the holdings; of groups unused */
    uint64_t sums[2];
};

/* A name under which a tensor or object is matched. */
struct match_name {
    const char *name;
    int index; /* in the holding */
};

struct comparing {
    struct dtx_transport *transport;
    const struct dtx_compare_options *options;
    struct held_reader readers[2];
    struct dtx_arena names; /* those that were made */
    char *work;
    size_t work_bytes;
    struct dtx_comparison *result;
    size_t pair_count, pair_capacity;
    struct pair *pairs;
    size_t twin_count, twin_capacity;
    struct twin *twins;
    struct turns turns;
    struct turns_progress progress;
    uint64_t bytes_read;
};

struct dtx_comparison {
    struct dtx_arena arena;
    struct dtx_comparison_totals totals;
    size_t count, capacity;
    struct dtx_difference *differences;
};

/* Adds a difference; its strings and shapes are copied. */
enum dtx_status compare_add(struct comparing *c,
                            const struct dtx_difference *difference,
                            struct dtx_error *err);

/* Finds pairs and twins, and adds what only one has. Local, and the same on
 * all processes. */
enum dtx_status compare_match(struct comparing *c, struct dtx_error *err);

/* Reads all copies where there are several, and those that tell all about a
 * pair that is compared by digest; and all objects. Collective and settled. */
enum dtx_status compare_copies(struct comparing *c, struct dtx_error *err);

/* The bytes that compare_copies() and compare_values() read. */
uint64_t compare_bytes(const struct comparing *c);

/* Compares the values of all other pairs, each process a part of them, and
 * puts together what they found. Collective and settled. */
enum dtx_status compare_values(struct comparing *c, struct dtx_error *err);

/* Adds the pairs and twins that differ, and sorts all by name. Local, and the
 * same on all processes. */
enum dtx_status compare_conclude(struct comparing *c, struct dtx_error *err);

#endif
