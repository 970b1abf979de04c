/*
 * Short runs are folded four at a time: each lane keeps a polynomial of degree
 * below 128, which is multiplied by a power in two independent products and
 * reduced only at the end ("Fast CRC computation for generic polynomials using
 * PCLMULQDQ", Gopal et al., 2009).
 *
 * A number of 128 bits has x^j at bit 127 - j. The product of two numbers of
 * 64 bits has x^j at bit 126 - j: constants are divided by x beforehand, so
 * that it comes out right.
 */
#include "layout/crc64_clmul.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>
#include <string.h>

#define CLMUL __attribute__((target("pclmul,sse4.1")))
#define WIDE_CLMUL __attribute__((target("avx2,pclmul,vpclmulqdq")))

#define POLYNOMIAL 0xC96C5795D7870F42u

/* P and floor(x^128 / P), without their highest terms, times x and plus 1: the
 * constants of Barrett's reduction. */
#define BARRETT_P ((long long)0x92D8AF2BAF0E1E85u)
#define BARRETT_MU ((long long)0x9C3E466C172963D5u)

enum {
    LANE_COUNT = 4,
    FOLD_BYTES = 16,
    ROW_BYTES_MOST = 512, /* longer ones are the library's */
    ROW_COUNT_LEAST = 12, /* fewer aren't worth the constants */
    WIDE_BYTES = 32,
    WIDE_COUNT = 8, /* sums at a time */
    BLOCK_BYTES = WIDE_BYTES * WIDE_COUNT,
};

/* x^(8 * 256) / x and x^(8 * 256 + 64) / x, x^128 / x and x^(128 + 64) / x:
 * to fold by a block, and by FOLD_BYTES. */
#define FOLD_BLOCK_LOWER ((long long)0x8260ADF2381AD81Cu)
#define FOLD_BLOCK_UPPER ((long long)0xF31FD9271E228B79u)
#define FOLD_NEXT_LOWER ((long long)0xE05DD497CA393AE4u)
#define FOLD_NEXT_UPPER ((long long)0xDABE95AFC7875F40u)

/* x^(8 * FOLD_BYTES) mod P. */
#define FOLD_POWER 0x6D5F4AD7E3C3AFA0u

bool
crc64_has_clmul(void)
{
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
}

/* a / x mod P. */
static uint64_t
divide(uint64_t a)
{
    return a >> 63 ? (a ^ POLYNOMIAL) << 1 | 1 : a << 1;
}

/* A polynomial of degree below 128, mod P, in the low half. */
CLMUL static inline __m128i
reduce(__m128i a)
{
    const __m128i constants = _mm_set_epi64x(BARRETT_P, BARRETT_MU);
    __m128i quotient = _mm_clmulepi64_si128(a, constants, 0x00);
    __m128i rest = _mm_clmulepi64_si128(quotient, constants, 0x10);

    return _mm_xor_si128(_mm_srli_si128(_mm_xor_si128(a, rest), 8), quotient);
}

CLMUL uint64_t
crc64_clmul_multiply(uint64_t a, uint64_t b)
{
    __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)a),
                             _mm_cvtsi64_si128((long long)divide(b)), 0x00);

    return (uint64_t)_mm_cvtsi128_si64(reduce(product));
}

/* The two constants that multiply by a power: for the upper half, which has
 * the terms below x^64, and for the lower half. */
CLMUL static inline __m128i
fold_constants(uint64_t power)
{
    uint64_t lower = crc64_clmul_multiply(power, POLYNOMIAL); /* x^64 */

    return _mm_set_epi64x((long long)divide(power), (long long)divide(lower));
}

/* a * power, of degree below 128 but not reduced. */
CLMUL static inline __m128i
fold(__m128i a, __m128i constants)
{
    return _mm_xor_si128(_mm_clmulepi64_si128(a, constants, 0x00),
                         _mm_clmulepi64_si128(a, constants, 0x11));
}

/* A run of 1, 2, 4 or 8 bytes, as the polynomial of its bits. */
CLMUL static inline __m128i
load_short(const unsigned char *data, size_t bytes)
{
    uint64_t value = 0;

    switch (bytes) {
    case 1:
        value = (uint64_t)data[0] << 56;
        break;
    case 2:
        value = ((uint64_t)data[0] | (uint64_t)data[1] << 8) << 48;
        break;
    case 4: {
        uint32_t word;

        memcpy(&word, data, sizeof word);
        value = (uint64_t)word << 32;
        break;
    }
    default:
        memcpy(&value, data, sizeof value);
        break;
    }
    return _mm_set_epi64x((long long)value, 0);
}

/* A run that crc64_clmul_takes(), as the polynomial of its bits. */
CLMUL static inline __m128i
load_run(const unsigned char *data, size_t bytes, __m128i next)
{
    __m128i run;
    size_t at;

    if (bytes < FOLD_BYTES) {
        return load_short(data, bytes);
    }
    run = _mm_loadu_si128((const __m128i *)(const void *)data);
    for (at = FOLD_BYTES; at < bytes; at += FOLD_BYTES) {
        run = _mm_xor_si128(
            fold(run, next),
            _mm_loadu_si128((const __m128i *)(const void *)(data + at)));
    }
    return run;
}

bool
crc64_clmul_takes(const struct dtx_crc64_rows *rows)
{
    size_t bytes = rows->run_bytes;

    return rows->count >= ROW_COUNT_LEAST &&
           (bytes % FOLD_BYTES == 0
                ? bytes <= ROW_BYTES_MOST
                : bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
}

CLMUL uint64_t
crc64_clmul_rows(const struct dtx_crc64_rows *rows)
{
    const unsigned char *data = rows->data;
    const size_t step = rows->step_bytes, run = rows->run_bytes;
    uint64_t square = crc64_clmul_multiply(rows->power, rows->power);
    const __m128i one = fold_constants(rows->power);
    const __m128i four = fold_constants(crc64_clmul_multiply(square, square));
    const __m128i next = fold_constants(FOLD_POWER);
    __m128i sums[LANE_COUNT], sum;
    int64_t row;
    int lane;

    for (lane = 0; lane < LANE_COUNT; lane++) {
        sums[lane] = _mm_setzero_si128();
    }
    for (row = 0; row + LANE_COUNT <= rows->count; row += LANE_COUNT) {
        for (lane = 0; lane < LANE_COUNT; lane++) {
            sums[lane] = _mm_xor_si128(fold(sums[lane], four),
                                       load_run(data, run, next));
            data += step;
        }
    }
    sum = sums[0];
    for (lane = 1; lane < LANE_COUNT; lane++) {
        sum = _mm_xor_si128(fold(sum, one), sums[lane]);
    }
    for (; row < rows->count; row++) {
        sum = _mm_xor_si128(fold(sum, one), load_run(data, run, next));
        data += step;
    }
    /* So far every bit stood for itself; a CRC is multiplied by x^64. */
    return crc64_clmul_multiply((uint64_t)_mm_cvtsi128_si64(reduce(sum)),
                                POLYNOMIAL);
}

bool
crc64_has_wide_clmul(void)
{
    return crc64_has_clmul() && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("vpclmulqdq") &&
           !__builtin_cpu_supports("avx512vl");
}

WIDE_CLMUL static inline __m256i
load_wide(const unsigned char *data)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)data);
}

/* Puts the sums, which stand one behind the other, together. */
WIDE_CLMUL static inline __m128i
join(const __m256i *sums)
{
    const __m128i next = _mm_set_epi64x(FOLD_NEXT_UPPER, FOLD_NEXT_LOWER);
    __m128i sum = _mm_setzero_si128();
    int i;

    for (i = 0; i < WIDE_COUNT; i++) {
        sum = _mm_xor_si128(fold(sum, next), _mm256_castsi256_si128(sums[i]));
        sum = _mm_xor_si128(fold(sum, next),
                            _mm256_extracti128_si256(sums[i], 1));
    }
    return sum;
}

WIDE_CLMUL uint64_t
crc64_clmul_raw(const unsigned char *data, size_t bytes)
{
    const __m256i block = _mm256_set_epi64x(FOLD_BLOCK_UPPER, FOLD_BLOCK_LOWER,
                                            FOLD_BLOCK_UPPER, FOLD_BLOCK_LOWER);
    __m256i sums[WIDE_COUNT];
    __m128i sum;
    size_t at;
    int i;

    for (i = 0; i < WIDE_COUNT; i++) {
        sums[i] = load_wide(data + i * WIDE_BYTES);
    }
    for (at = BLOCK_BYTES; at + BLOCK_BYTES <= bytes; at += BLOCK_BYTES) {
        for (i = 0; i < WIDE_COUNT; i++) {
            __m256i lower = _mm256_clmulepi64_epi128(sums[i], block, 0x00);
            __m256i upper = _mm256_clmulepi64_epi128(sums[i], block, 0x11);

            sums[i] = _mm256_xor_si256(_mm256_xor_si256(lower, upper),
                                       load_wide(data + at + i * WIDE_BYTES));
        }
    }
    sum = join(sums);
    return dtx_crc64_append(
        crc64_clmul_multiply((uint64_t)_mm_cvtsi128_si64(reduce(sum)),
                             POLYNOMIAL),
        data + at, bytes - at);
}

#else

bool
crc64_has_clmul(void)
{
    return false;
}

uint64_t
crc64_clmul_multiply(uint64_t a, uint64_t b)
{
    return dtx_crc64_multiply_portable(a, b);
}

bool
crc64_clmul_takes(const struct dtx_crc64_rows *rows)
{
    (void)rows;
    return false;
}

bool
crc64_has_wide_clmul(void)
{
    return false;
}

uint64_t
crc64_clmul_raw(const unsigned char *data, size_t bytes)
{
    return dtx_crc64_append(0, data, bytes);
}

uint64_t
crc64_clmul_rows(const struct dtx_crc64_rows *rows)
{
    return dtx_crc64_rows_portable(rows);
}

#endif
