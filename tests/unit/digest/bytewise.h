/*
 * CRC-64/XZ a bit at a time, as its definition has it.
 */
#ifndef TESTS_DIGEST_BYTEWISE_H
#define TESTS_DIGEST_BYTEWISE_H

#include <stddef.h>
#include <stdint.h>

/* Moves the register over some bytes. */
static inline uint64_t
bytewise_step(uint64_t crc, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    for (size_t i = 0; i < bytes; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xC96C5795D7870F42u : 0);
        }
    }
    return crc;
}

static inline uint64_t
bytewise_crc(const void *data, size_t bytes)
{
    return ~bytewise_step(~(uint64_t)0, data, bytes);
}

#endif
