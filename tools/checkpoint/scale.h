/*
 * Scaling a model down: each dim of each tensor is divided by a factor,
 * rounded up, so that a small copy keeps the shape of the large one.
 */
#ifndef CHECKPOINT_SCALE_H
#define CHECKPOINT_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/limits.h"

struct scale {
    int64_t factors[DTX_NDIM_MAX]; /* per dim, each >= 1 */
};

/* No scaling. */
void scale_init(struct scale *scale);

/* "4" for all dims, or "0:4,1:2" for some. False if it is neither. */
bool scale_parse(const char *text, struct scale *scale_out);

/* An extent divided by the dim's factor, rounded up; 0 stays 0. */
int64_t scale_extent(const struct scale *scale, int dim, int64_t extent);

/* True where all dims have one factor. */
bool scale_is_uniform(const struct scale *scale);

#endif
