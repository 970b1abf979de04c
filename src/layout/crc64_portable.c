#include "layout/crc64_portable.h"

#include <isa-l/crc64.h>

/* P without x^64. */
#define POLYNOMIAL 0xC96C5795D7870F42u

uint64_t
dtx_crc64_multiply_portable(uint64_t a, uint64_t b)
{
    uint64_t product = 0;
    int i;

    for (i = 0; i < 64; i++) { /* from x^63 of a down to 1 */
        product = (product >> 1) ^ (product & 1 ? POLYNOMIAL : 0);
        product ^= a & 1 ? b : 0;
        a >>= 1;
    }
    return product;
}

uint64_t
dtx_crc64_append(uint64_t crc, const void *data, size_t bytes)
{
    /* The library inverts the register on its way in and out. */
    return ~crc64_ecma_refl(~crc, data, bytes);
}

uint64_t
dtx_crc64_rows_portable(const struct dtx_crc64_rows *rows)
{
    const unsigned char *data = rows->data;
    uint64_t sum = dtx_crc64_append(0, data, rows->run_bytes);
    int64_t i;

    for (i = 1; i < rows->count; i++) {
        data += rows->step_bytes;
        sum = dtx_crc64_multiply_portable(sum, rows->power) ^
              dtx_crc64_append(0, data, rows->run_bytes);
    }
    return sum;
}
