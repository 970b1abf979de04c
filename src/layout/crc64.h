/*
 * The algebra of CRC-64/XZ: polynomials over two elements, modulo
 * P = x^64 + x^62 + x^57 + … + x + 1 (ECMA-182).
 *
 * A polynomial of degree below 64 is a number whose bit 63 - j is the
 * coefficient of x^j, as the reflected CRC has it. The raw CRC of some bytes
 * (the register starts at 0, nothing is inverted) is linear, and n zero bytes
 * behind them multiply it by x^(8n): so the raw CRC of a whole is the sum of
 * its parts', each multiplied by the power for the bytes behind it.
 */
#ifndef DTX_LAYOUT_CRC64_H
#define DTX_LAYOUT_CRC64_H

#include <stddef.h>
#include <stdint.h>

#include "layout/crc64_portable.h"

/* The polynomial 1. */
#define DTX_CRC64_ONE ((uint64_t)1 << 63)

/* a * b mod P. */
uint64_t dtx_crc64_multiply(uint64_t a, uint64_t b);

/* x^(8 * bytes) mod P, in at most 64 multiplications. */
uint64_t dtx_crc64_power(uint64_t bytes);

/* The raw CRC of some bytes. */
uint64_t dtx_crc64_raw(const void *data, size_t bytes);

/* The sum of the runs' raw CRCs, each multiplied by the power for the bytes
 * between its end and the last run's. */
uint64_t dtx_crc64_rows(const struct dtx_crc64_rows *rows);

#endif
