/*
 * The loops that reductions are made of; see reduce.h.
 */
#ifndef DTX_LAYOUT_REDUCE_KERNELS_H
#define DTX_LAYOUT_REDUCE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "layout/layout.h"

/* Takes a term into each accumulator. Returns -1, or the index of the first
 * that overflows; all others are right. */
typedef int64_t dtx_reduce_kernel(void *restrict accumulators,
                                  const void *restrict terms, size_t count);

/* NULL where the type of accumulators has no such op. */
dtx_reduce_kernel *dtx_reduce_find_kernel(enum dtx_op op,
                                          enum dtx_dtype accumulator);

#endif
