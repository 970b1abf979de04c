#include "storage/swap.h"

#include <stdint.h>
#include <string.h>

/* memcpy: a buffer of bytes need not be aligned for its units. */
#define SWAP_ALL(type, swap)                                                   \
    for (i = 0; i < count; i++) {                                              \
        type value;                                                            \
        memcpy(&value, at + i * sizeof value, sizeof value);                   \
        value = swap(value);                                                   \
        memcpy(at + i * sizeof value, &value, sizeof value);                   \
    }

void
dtx_swap_bytes(void *buffer, size_t count, size_t bytes)
{
    char *at = buffer;
    size_t i;

    switch (bytes) {
    case 2:
        SWAP_ALL(uint16_t, __builtin_bswap16)
        break;
    case 4:
        SWAP_ALL(uint32_t, __builtin_bswap32)
        break;
    case 8:
        SWAP_ALL(uint64_t, __builtin_bswap64)
        break;
    default:
        break; /* one byte has no order */
    }
}
