/*
 * How fast digests are summed, in GB/s, by the length of the runs in which a
 * box stands in its tensor; beside a plain memcpy.
 *
 * The box is dense and as large as a chunk of the engine; the first run, which
 * touches the memory, isn't counted; the best of the others is shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout/digest.h"

enum { BOX_BYTES = 1 << 20, REPEAT_COUNT = 15 };

static unsigned char box_bytes[BOX_BYTES], copy_bytes[BOX_BYTES];

static double
now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Rows of a tensor that is twice as wide; run 0: a memcpy. */
static double
best_time(int64_t run, uint64_t *sum)
{
    int64_t shape[2] = {run > 0 ? BOX_BYTES / run : 0, 2 * run};
    int64_t lo[2] = {0, run}, len[2] = {shape[0], run};
    struct dtx_digest_box box = {1, 2, shape, lo, len, NULL, NULL};
    double best = 1e9;

    for (int i = 0; i <= REPEAT_COUNT; i++) {
        double begin = now_s(), took;

        if (run == 0) {
            memcpy(copy_bytes, box_bytes, BOX_BYTES);
            *sum ^= copy_bytes[*sum % BOX_BYTES];
        } else {
            dtx_digest_add(sum, &box, box_bytes);
        }
        took = now_s() - begin;
        best = i > 0 && took < best ? took : best;
    }
    return best;
}

int
main(void)
{
    static const int64_t runs[] = {1,    2,    4,     8,        16,  24,
                                   32,   64,   128,   256,      512, 1000,
                                   2048, 4096, 16384, BOX_BYTES};
    uint64_t sum = 0;

    for (size_t i = 0; i < BOX_BYTES; i++) {
        box_bytes[i] = (unsigned char)rand();
    }
    printf("memcpy      %6.2f GB/s\n", BOX_BYTES / best_time(0, &sum) / 1e9);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        printf("run %7lld %6.2f GB/s\n", (long long)runs[i],
               BOX_BYTES / best_time(runs[i], &sum) / 1e9);
    }
    return sum == 1; /* so that nothing is optimized away */
}
