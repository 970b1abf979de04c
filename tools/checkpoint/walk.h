/*
 * Walks over a dense array in boxes of a bounded size, in row-major order, so
 * that the boxes' bytes follow each other in the file.
 */
#ifndef CHECKPOINT_WALK_H
#define CHECKPOINT_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/limits.h"

/* Bytes that are made, written, read or compared at a time. */
enum { BLOCK_BYTES = 4 << 20 };

struct walk {
    int ndim;
    const int64_t *shape; /* borrowed */
    int cut;              /* the dim that boxes divide; later ones are whole */
    int64_t step;         /* of the cut dim */
    bool has_begun;
    int64_t lo[DTX_NDIM_MAX]; /* the present box */
    int64_t len[DTX_NDIM_MAX];
    int64_t count; /* its elements */
};

/* Starts over an array that isn't empty; most >= 1 elements a box. */
void walk_begin(struct walk *walk, int ndim, const int64_t *shape,
                int64_t most);

/* Moves to the next box (at first to the first); false after the last. */
bool walk_next(struct walk *walk);

#endif
