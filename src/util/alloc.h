/*
 * The heap. All of dtx's own heap calls go through here, so that tests can
 * make the k-th one fail.
 */
#ifndef DTX_UTIL_ALLOC_H
#define DTX_UTIL_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory for count elements; NULL when out of memory or on overflow.
 * A count of 0 gives a pointer that may be freed. */
void *dtx_alloc(size_t count, size_t size);

/* Grows or shrinks to count elements; on NULL the old block still stands.
 * What is new is not zeroed. */
void *dtx_realloc(void *block, size_t count, size_t size);

void dtx_free(void *block);

/* A copy of a string; NULL when out of memory. */
char *dtx_strdup(const char *string);

/*
 * For a growing array: makes room for at least one more element.
 *
 * array     the address of the array pointer
 * count     elements in use
 * capacity  elements allocated; updated
 *
 * Returns 0, or -1 when out of memory (the array still stands).
 */
int dtx_grow(void *array, size_t count, size_t *capacity, size_t size);

/* For tests: after `calls` further allocations every one fails; -1: never. */
void dtx_alloc_fail_after(int64_t calls);

#endif
