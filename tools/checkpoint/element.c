#include "element.h"

#include <stdbool.h>
#include <string.h>

/* The loops are the bottleneck of writing to memory-backed storage: twice as
 * wide vectors where the machine has them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define WIDE_VECTORS
#endif

/* How the random bits become an element of a type. */
struct pattern {
    uint32_t random; /* bits that are random */
    uint32_t fixed;  /* bits that are set: the exponent's range */
    uint64_t one;    /* the number 1 */
    int width;       /* bytes of one number: 1, 2, 4, 8 */
    int numbers;     /* per element: 2 for complex types */
};

/* For float64 the patterns are of the upper half; the lower half is random. */
static const struct pattern patterns[DTX_DTYPE_COUNT] = {
    [DTX_FLOAT64] = {0x807fffff, 0x3f800000, 0x3ff0000000000000, 8, 1},
    [DTX_FLOAT32] = {0x83ffffff, 0x3c000000, 0x3f800000, 4, 1},
    [DTX_FLOAT16] = {0x9fff, 0x2000, 0x3c00, 2, 1},
    [DTX_BFLOAT16] = {0x83ff, 0x3c00, 0x3f80, 2, 1},
    [DTX_FLOAT8_E4M3FN] = {0x9f, 0x20, 0x38, 1, 1},
    [DTX_FLOAT8_E5M2] = {0x9f, 0x20, 0x3c, 1, 1},
    [DTX_INT64] = {0xffffffff, 0, 1, 8, 1},
    [DTX_INT32] = {0xffffffff, 0, 1, 4, 1},
    [DTX_INT16] = {0xffff, 0, 1, 2, 1},
    [DTX_INT8] = {0xff, 0, 1, 1, 1},
    [DTX_UINT64] = {0xffffffff, 0, 1, 8, 1},
    [DTX_UINT32] = {0xffffffff, 0, 1, 4, 1},
    [DTX_UINT16] = {0xffff, 0, 1, 2, 1},
    [DTX_UINT8] = {0xff, 0, 1, 1, 1},
    [DTX_BOOL] = {0x1, 0, 1, 1, 1},
    [DTX_COMPLEX64] = {0x83ffffff, 0x3c000000, 0x3f800000, 4, 2},
    [DTX_COMPLEX128] = {0x807fffff, 0x3f800000, 0x3ff0000000000000, 8, 2},
};

/* splitmix64's finalizer. */
static uint64_t
mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* A 32-bit finalizer of low bias; two multiplications, so that it becomes
 * vector code. */
static inline uint32_t
mix32(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352d;
    x = (x ^ (x >> 15)) * 0x846ca68b;
    return x ^ (x >> 16);
}

uint64_t
element_key(const char *name, uint64_t seed)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */

    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
    }
    return mix64(hash ^ mix64(seed + 0x9e3779b97f4a7c15));
}

WIDE_VECTORS static void
fill_8(uint8_t *out, size_t count, uint32_t first, uint32_t key,
       const struct pattern *pattern)
{
    uint32_t random = pattern->random;
    uint32_t fixed = pattern->fixed;

    for (size_t i = 0; i < count; i++) {
        out[i] =
            (uint8_t)((mix32((first + (uint32_t)i) ^ key) & random) | fixed);
    }
}

WIDE_VECTORS static void
fill_16(uint16_t *out, size_t count, uint32_t first, uint32_t key,
        const struct pattern *pattern)
{
    uint32_t random = pattern->random;
    uint32_t fixed = pattern->fixed;

    for (size_t i = 0; i < count; i++) {
        out[i] =
            (uint16_t)((mix32((first + (uint32_t)i) ^ key) & random) | fixed);
    }
}

WIDE_VECTORS static void
fill_32(uint32_t *out, size_t count, uint32_t first, uint32_t key,
        const struct pattern *pattern)
{
    uint32_t random = pattern->random;
    uint32_t fixed = pattern->fixed;

    for (size_t i = 0; i < count; i++) {
        out[i] = (mix32((first + (uint32_t)i) ^ key) & random) | fixed;
    }
}

WIDE_VECTORS static void
fill_64(uint64_t *out, size_t count, uint32_t first, uint32_t key,
        const struct pattern *pattern)
{
    uint32_t random = pattern->random;
    uint32_t fixed = pattern->fixed;

    for (size_t i = 0; i < count; i++) {
        uint32_t upper = mix32((first + (uint32_t)i) ^ key);
        uint32_t lower = mix32(upper + 0x9e3779b9);

        out[i] = (uint64_t)((upper & random) | fixed) << 32 | lower;
    }
}

/* The numbers of one window: indices that share their upper 32 bits. */
static void
fill_window(const struct pattern *pattern, uint64_t key, uint64_t index,
            size_t count, void *out)
{
    uint32_t first = (uint32_t)index;
    uint32_t window = (uint32_t)mix64(key + (index >> 32));

    switch (pattern->width) {
    case 1:
        fill_8(out, count, first, window, pattern);
        break;
    case 2:
        fill_16(out, count, first, window, pattern);
        break;
    case 4:
        fill_32(out, count, first, window, pattern);
        break;
    default:
        fill_64(out, count, first, window, pattern);
        break;
    }
}

void
element_fill(enum dtx_dtype dtype, uint64_t key, int64_t index, size_t count,
             void *buffer)
{
    const struct pattern *pattern = &patterns[dtype];
    size_t numbers = (size_t)pattern->numbers;
    uint64_t at = (uint64_t)index * numbers;
    size_t left = count * numbers;
    char *out = buffer;

    while (left > 0) {
        uint64_t in_window = 0x100000000 - (at & 0xffffffff);
        size_t n = left < in_window ? left : (size_t)in_window;

        fill_window(pattern, key, at, n, out);
        out += n * (size_t)pattern->width;
        at += n;
        left -= n;
    }
}

void
element_fill_constant(enum dtx_dtype dtype, int value, size_t count,
                      void *buffer)
{
    const struct pattern *pattern = &patterns[dtype];
    size_t width = (size_t)pattern->width;
    size_t stride = width * (size_t)pattern->numbers;
    char *out = buffer;

    memset(buffer, 0, count * stride);
    if (value == 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(out + i * stride, &pattern->one, width);
    }
}
