/*
 * Byte order.
 */
#ifndef DTX_STORAGE_SWAP_H
#define DTX_STORAGE_SWAP_H

#include <stddef.h>

/* Reverses the bytes of each of count units of `bytes` (1, 2, 4 or 8). */
void dtx_swap_bytes(void *buffer, size_t count, size_t bytes);

#endif
