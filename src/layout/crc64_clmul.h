/*
 * CRC-64/XZ by the processor's carry-less multiplication, where it has one.
 */
#ifndef DTX_LAYOUT_CRC64_CLMUL_H
#define DTX_LAYOUT_CRC64_CLMUL_H

#include <stdbool.h>

#include "layout/crc64_portable.h"

/* The other functions may be called only where this is true. */
bool crc64_has_clmul(void);

uint64_t crc64_clmul_multiply(uint64_t a, uint64_t b);

/* True where runs are so short that crc64_clmul_rows() is faster than a call
 * of the library for each of them. */
bool crc64_clmul_takes(const struct dtx_crc64_rows *rows);

/* As dtx_crc64_rows(), for rows that it takes. */
uint64_t crc64_clmul_rows(const struct dtx_crc64_rows *rows);

/* True where the processor multiplies pairs, which the library uses only
 * together with vectors of 512 bits. */
bool crc64_has_wide_clmul(void);

enum { CRC64_WIDE_BYTES = 512 }; /* the least crc64_clmul_raw() takes */

/* As dtx_crc64_raw(), for CRC64_WIDE_BYTES and more, where there is a wide
 * multiplication. */
uint64_t crc64_clmul_raw(const unsigned char *data, size_t bytes);

#endif
