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

/* The polynomial 1. */
#define DTX_CRC64_ONE ((uint64_t)1 << 63)

/* a * b mod P. */
uint64_t dtx_crc64_multiply(uint64_t a, uint64_t b);

/* x^(8 * bytes) mod P, in at most 64 multiplications. */
uint64_t dtx_crc64_power(uint64_t bytes);

/* The raw CRC of some bytes. */
uint64_t dtx_crc64_raw(const void *data, size_t bytes);

/* The raw CRC of what has one already and these bytes behind it. */
uint64_t dtx_crc64_append(uint64_t crc, const void *data, size_t bytes);

/* Equally long runs in memory, which stand equally far apart in a whole. */
struct dtx_crc64_rows {
    const unsigned char *data; /* the first run */
    size_t run_bytes;          /* > 0 */
    size_t step_bytes;         /* from run to run, in memory */
    int64_t count;             /* >= 1 */
    uint64_t power;            /* for the bytes from run to run, in the whole */
};

/* The sum of the runs' raw CRCs, each multiplied by the power for the bytes
 * between its end and the last run's. */
uint64_t dtx_crc64_rows(const struct dtx_crc64_rows *rows);

/* The same without the processor's carry-less multiplication; for tests. */
uint64_t dtx_crc64_multiply_portable(uint64_t a, uint64_t b);
uint64_t dtx_crc64_rows_portable(const struct dtx_crc64_rows *rows);

#endif
