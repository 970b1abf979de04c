/*
 * What holds for every tiling, checked against the reference.
 */
#ifndef DTX_TESTS_LAYOUT_TILING_CLAIMS_H
#define DTX_TESTS_LAYOUT_TILING_CLAIMS_H

#include "fixture.h"

/* NULL where the invariants of a dim hold, else which doesn't. */
const char *tiling_breaks(const struct dtx_tiling_dim *dim);

/* NULL where the tiling gives each position what the reference gives it. */
const char *tiling_differs(const struct fixture *f,
                           const struct dtx_tiling *tiling,
                           const int64_t *shape);

#endif
