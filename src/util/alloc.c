#include "util/alloc.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/math.h"

/* -1 outside of tests; I/O threads allocate too. */
static _Atomic int64_t calls_left = -1;

static bool
must_fail(void)
{
    int64_t left = atomic_load_explicit(&calls_left, memory_order_relaxed);

    if (left < 0) {
        return false;
    }
    while (left > 0 &&
           !atomic_compare_exchange_weak(&calls_left, &left, left - 1)) {
    }
    return left == 0;
}

void
dtx_alloc_fail_after(int64_t calls)
{
    atomic_store(&calls_left, calls);
}

void *
dtx_alloc(size_t count, size_t size)
{
    size_t bytes;

    if (must_fail() || dtx_mul_overflows(count, size, &bytes)) {
        return NULL;
    }
    return calloc(bytes == 0 ? 1 : bytes, 1);
}

void *
dtx_realloc(void *block, size_t count, size_t size)
{
    size_t bytes;

    if (must_fail() || dtx_mul_overflows(count, size, &bytes)) {
        return NULL;
    }
    return realloc(block, bytes == 0 ? 1 : bytes);
}

void
dtx_free(void *block)
{
    free(block);
}

char *
dtx_strdup(const char *string)
{
    size_t bytes = strlen(string) + 1;
    char *copy = dtx_alloc(bytes, 1);

    if (copy != NULL) {
        memcpy(copy, string, bytes);
    }
    return copy;
}

int
dtx_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    size_t wanted;
    void *block;

    if (count < *capacity) {
        return 0;
    }
    if (dtx_mul_overflows(*capacity, (size_t)2, &wanted)) {
        return -1;
    }
    if (wanted <= count) {
        wanted = count + 8;
    }
    /* The caller's pointer has a type of its own: copied, not cast. */
    memcpy(&block, array, sizeof block);
    block = dtx_realloc(block, wanted, size);
    if (block == NULL) {
        return -1;
    }
    memcpy(array, &block, sizeof block);
    *capacity = wanted;
    return 0;
}
