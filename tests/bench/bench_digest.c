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

#include "bench.h"
#include "layout/digest.h"

enum { BOX_BYTES = 1 << 20, REPEAT_COUNT = 15 };

static unsigned char box_bytes[BOX_BYTES], copy_bytes[BOX_BYTES];

static uint64_t sum;

/* Rows of a tensor that is twice as wide; run 0: a memcpy. */
static void
run_once(void *context)
{
    int64_t run = *(const int64_t *)context;
    int64_t shape[2] = {run > 0 ? BOX_BYTES / run : 0, 2 * run};
    int64_t lo[2] = {0, run}, len[2] = {shape[0], run};
    struct dtx_digest_box box = {1, 2, shape, lo, len, NULL, NULL};

    if (run == 0) {
        memcpy(copy_bytes, box_bytes, BOX_BYTES);
        sum ^= copy_bytes[sum % BOX_BYTES];
    } else {
        dtx_digest_add(&sum, &box, box_bytes);
    }
}

int
main(int argc, char **argv)
{
    static const int64_t runs[] = {0,    1,    2,    4,     8,        16,
                                   24,   32,   64,   128,   256,      512,
                                   1000, 2048, 4096, 16384, BOX_BYTES};
    bool wants_lines = bench_wants_lines(argc, argv);

    for (size_t i = 0; i < BOX_BYTES; i++) {
        box_bytes[i] = (unsigned char)rand();
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        int64_t run = runs[i];
        double seconds = bench_best(run_once, &run, REPEAT_COUNT);

        if (wants_lines) {
            bench_line(seconds, "digest: runs of %lld B%s", (long long)run,
                       run == 0 ? " (memcpy)" : "");
        } else {
            printf("%s %7lld %6.2f GB/s\n", run == 0 ? "copy" : "run ",
                   (long long)run, BOX_BYTES / seconds / 1e9);
        }
    }
    return sum == 1; /* so that nothing is optimized away */
}
