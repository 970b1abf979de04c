/*
 * What a shard holds, element by element: literally what the layout language
 * says, for small tensors. Slow and obvious on purpose.
 */
#ifndef DTX_TESTS_LAYOUT_REFERENCE_H
#define DTX_TESTS_LAYOUT_REFERENCE_H

#include "layout/layout.h"

enum { REFERENCE_MAX = 1024, REFERENCE_PADDING = -1 };

/* Indices of one dim, in local order; REFERENCE_PADDING stands for none. */
struct reference {
    int count;
    int items[REFERENCE_MAX];
};

/* What a position holds of a dim. False where `even` doesn't divide. */
bool reference_indices(const struct dtx_layout *layout,
                       const struct dtx_rule *rule, int ndim,
                       const int64_t *shape, int dim, int position,
                       struct reference *out);

#endif
