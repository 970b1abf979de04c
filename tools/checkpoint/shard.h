/*
 * Shards: what one dataset of a checkpoint holds, and making parts of it.
 *
 * Per dim a shard has runs of local indices; each stands for consecutive
 * global ones, or is padding. The runs of a dim follow each other and cover
 * its extent.
 */
#ifndef CHECKPOINT_SHARD_H
#define CHECKPOINT_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/dtype.h>

#include "layout/layout.h"
#include "layout/tiling.h"
#include "util/arena.h"

/* One tensor of the model. */
struct tensor {
    const char *name; /* as the layout knows it */
    uint64_t key;     /* of its elements */
    struct dtx_type type;
    int ndim;
    const int64_t *shape; /* logical, scaled */
    int rule;             /* index in the layout */
};

struct run {
    int64_t local;
    int64_t length;
    int64_t global; /* -1: padding */
};

struct shard {
    const struct tensor *tensor;
    int constant; /* 0 or 1: all elements are; -1: they are the tensor's */
    int64_t shape[DTX_NDIM_MAX];   /* local */
    int64_t strides[DTX_NDIM_MAX]; /* global elements between neighbours */
    int run_counts[DTX_NDIM_MAX];
    struct run *runs[DTX_NDIM_MAX];
};

enum padding {
    PADDING_GARBAGE, /* bytes 0xff */
    PADDING_ZERO,
    PADDING_KEEP, /* what stands in the buffer */
};

/*
 * Finds the shard of a position, or, where the layout's datasets hold whole
 * tensors, the whole. tiling is the tensor's. Its runs are in the arena. False
 * when out of memory.
 */
bool shard_make(const struct dtx_layout *layout, const struct tensor *tensor,
                const struct dtx_tiling *tiling, int position,
                struct dtx_arena *arena, struct shard *shard_out);

/* Makes a box [lo, lo + len) of local indices, dense and row-major. */
void shard_fill(const struct shard *shard, const int64_t *lo,
                const int64_t *len, enum padding padding, void *buffer);

/* The global index of a local one in a dim; -1 in padding. */
int64_t shard_global(const struct shard *shard, int dim, int64_t local);

/* The number of elements. */
int64_t shard_count(const struct shard *shard);

#endif
