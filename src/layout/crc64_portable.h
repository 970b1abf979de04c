/*
 * CRC-64/XZ without the processor's carry-less multiplication, but for what the
 * library uses of it by itself.
 */
#ifndef DTX_LAYOUT_CRC64_PORTABLE_H
#define DTX_LAYOUT_CRC64_PORTABLE_H

#include <stddef.h>
#include <stdint.h>

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

/* As dtx_crc64_multiply() and dtx_crc64_rows(). */
uint64_t dtx_crc64_multiply_portable(uint64_t a, uint64_t b);
uint64_t dtx_crc64_rows_portable(const struct dtx_crc64_rows *rows);

#endif
