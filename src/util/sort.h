/*
 * Sorting what mostly is in order already.
 */
#ifndef DTX_UTIL_SORT_H
#define DTX_UTIL_SORT_H

#include <stddef.h>

/* qsort(), which goes once through an array that is in order and leaves it. */
void dtx_sort(void *array, size_t count, size_t item_bytes,
              int (*compare)(const void *, const void *));

#endif
