#include <criterion/criterion.h>
#include <string.h>

#include "bytewise.h"
#include "layout/crc64.h"
#include "support/random.h"

enum { BUFFER_BYTES = 1 << 15 };

static unsigned char buffer[BUFFER_BYTES];

static struct random
fill_buffer(void)
{
    struct random random = random_begin();

    for (size_t i = 0; i < BUFFER_BYTES; i++) {
        buffer[i] = (unsigned char)random_next(&random);
    }
    return random;
}

Test(crc64, raw_is_the_register_from_zero)
{
    fill_buffer();
    for (size_t bytes = 0; bytes < 3000; bytes++) {
        cr_assert_eq(dtx_crc64_raw(buffer, bytes),
                     bytewise_step(0, buffer, bytes), "%zu bytes", bytes);
    }
}

Test(crc64, multiplications_agree)
{
    struct random random = fill_buffer();

    for (int i = 0; i < 20000; i++) {
        uint64_t a = random_next(&random) >> random_below(&random, 64);
        uint64_t b = random_next(&random) << random_below(&random, 64);
        uint64_t product = dtx_crc64_multiply_portable(a, b);

        cr_assert_eq(dtx_crc64_multiply(a, b), product);
        cr_assert_eq(dtx_crc64_multiply(b, a), product);
    }
    cr_assert_eq(dtx_crc64_multiply(DTX_CRC64_ONE, 12345), 12345);
    cr_assert_eq(dtx_crc64_multiply(0, ~(uint64_t)0), 0);
}

Test(crc64, a_power_appends_zero_bytes)
{
    static const unsigned char zeros[4096];
    struct random random = fill_buffer();

    for (size_t count = 0; count <= sizeof zeros; count += count / 8 + 1) {
        uint64_t crc = random_next(&random);

        cr_assert_eq(dtx_crc64_multiply(crc, dtx_crc64_power(count)),
                     bytewise_step(crc, zeros, count), "%zu bytes", count);
    }
}

Test(crc64, powers_of_sums_are_products)
{
    struct random random = fill_buffer();

    for (int i = 0; i < 2000; i++) {
        uint64_t a = random_next(&random) >> (1 + random_below(&random, 62));
        uint64_t b = random_next(&random) >> (1 + random_below(&random, 62));

        cr_assert_eq(
            dtx_crc64_power(a + b),
            dtx_crc64_multiply(dtx_crc64_power(a), dtx_crc64_power(b)));
    }
    cr_assert_eq(dtx_crc64_power(0), DTX_CRC64_ONE);
}

/* The rows written into zeros, as they stand in the whole. */
static uint64_t
spread(const struct dtx_crc64_rows *rows, size_t pitch)
{
    static unsigned char whole[1 << 20];
    size_t bytes = (size_t)(rows->count - 1) * pitch + rows->run_bytes;

    cr_assert_leq(bytes, sizeof whole);
    memset(whole, 0, bytes);
    for (int64_t i = 0; i < rows->count; i++) {
        memcpy(whole + (size_t)i * pitch,
               rows->data + (size_t)i * rows->step_bytes, rows->run_bytes);
    }
    return bytewise_step(0, whole, bytes);
}

/* All short runs, and some long ones. */
Test(crc64, rows_are_as_if_spread_out)
{
    struct random random = fill_buffer();

    for (size_t run = 1; run <= 300; run += run < 40 ? 1 : 4) {
        for (int i = 0; i < 6; i++) {
            struct dtx_crc64_rows rows = {
                buffer + random_below(&random, 16), run,
                run + random_below(&random, 16),
                1 + (int64_t)random_below(&random, 40), 0};
            size_t pitch = run + random_below(&random, 200);
            uint64_t expected = spread(&rows, pitch);

            rows.power = dtx_crc64_power(pitch);
            cr_assert_eq(dtx_crc64_rows(&rows), expected, "run %zu count %d",
                         run, (int)rows.count);
            cr_assert_eq(dtx_crc64_rows_portable(&rows), expected);
        }
    }
}
