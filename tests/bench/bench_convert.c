/*
 * How fast element types are converted, in GB/s of bytes read and written,
 * beside a plain memcpy.
 *
 * The first run, which touches the memory, isn't counted; the best of the
 * others is shown. The buffers are as large as an engine's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout/convert.h"

enum { ELEMENT_COUNT = 1 << 20, REPEAT_COUNT = 15, ELEMENT_BYTES_MAX = 16 };

struct bench_case {
    enum dtx_dtype from, to;
};

static const struct bench_case cases[] = {
    {DTX_FLOAT32, DTX_BFLOAT16},      {DTX_BFLOAT16, DTX_FLOAT32},
    {DTX_FLOAT32, DTX_FLOAT16},       {DTX_FLOAT16, DTX_FLOAT32},
    {DTX_FLOAT32, DTX_FLOAT64},       {DTX_FLOAT64, DTX_FLOAT32},
    {DTX_FLOAT64, DTX_BFLOAT16},      {DTX_FLOAT64, DTX_FLOAT16},
    {DTX_FLOAT64, DTX_FLOAT8_E4M3FN}, {DTX_BFLOAT16, DTX_FLOAT64},
    {DTX_BFLOAT16, DTX_FLOAT16},      {DTX_FLOAT16, DTX_BFLOAT16},
    {DTX_FLOAT32, DTX_FLOAT8_E4M3FN}, {DTX_FLOAT8_E4M3FN, DTX_FLOAT32},
    {DTX_FLOAT32, DTX_FLOAT8_E5M2},   {DTX_FLOAT8_E5M2, DTX_BFLOAT16},
    {DTX_INT64, DTX_INT32},           {DTX_INT32, DTX_INT64},
    {DTX_UINT8, DTX_INT16},           {DTX_INT32, DTX_FLOAT32},
    {DTX_INT64, DTX_FLOAT64},         {DTX_COMPLEX128, DTX_COMPLEX64},
};

static double
now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Values of all sizes, the smallest subnormal in half precision; integers are
 * small, so that all fit. */
static void
fill(enum dtx_dtype dtype, void *buffer)
{
    static double values[2 * ELEMENT_COUNT];
    static int8_t numbers[ELEMENT_COUNT];
    enum dtx_dtype wide = dtype == DTX_COMPLEX64 || dtype == DTX_COMPLEX128
                              ? DTX_COMPLEX128
                              : DTX_FLOAT64;

    for (int i = 0; i < 2 * ELEMENT_COUNT; i++) {
        values[i] = (rand() / (double)RAND_MAX - 0.5) / (1 << rand() % 17);
    }
    for (int i = 0; i < ELEMENT_COUNT; i++) {
        numbers[i] = (int8_t)(rand() % 128);
    }
    if (dtx_convert_is_possible(wide, dtype)) {
        (void)dtx_convert(wide, dtype, values, buffer, ELEMENT_COUNT);
    } else {
        (void)dtx_convert(DTX_INT8, dtype, numbers, buffer, ELEMENT_COUNT);
    }
}

static double
best_time(const struct bench_case *bench, const void *in, void *out)
{
    double best = 1e9;

    for (int i = 0; i <= REPEAT_COUNT; i++) {
        double begin = now_s();
        double took;

        if (bench == NULL) {
            memcpy(out, in, ELEMENT_COUNT * sizeof(double));
        } else if (dtx_convert(bench->from, bench->to, in, out,
                               ELEMENT_COUNT) >= 0) {
            abort();
        }
        took = now_s() - begin;
        if (i > 0 && took < best) {
            best = took;
        }
    }
    return best;
}

int
main(void)
{
    char *in = calloc(ELEMENT_COUNT, ELEMENT_BYTES_MAX);
    char *out = calloc(ELEMENT_COUNT, ELEMENT_BYTES_MAX);

    if (in == NULL || out == NULL) {
        return 1;
    }
    printf("%-15s %-15s %6s\n", "from", "to", "GB/s");
    printf("%-31s %6.1f\n", "memcpy",
           2e-9 * sizeof(double) * ELEMENT_COUNT / best_time(NULL, in, out));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t bytes =
            dtx_dtype_size(cases[i].from) + dtx_dtype_size(cases[i].to);

        fill(cases[i].from, in);
        printf("%-15s %-15s %6.1f\n", dtx_dtype_name(cases[i].from),
               dtx_dtype_name(cases[i].to),
               1e-9 * (double)(bytes * ELEMENT_COUNT) /
                   best_time(&cases[i], in, out));
    }
    free(in);
    free(out);
    return 0;
}
