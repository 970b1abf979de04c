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

#include "bench.h"
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

struct run {
    const struct bench_case *bench; /* NULL: a memcpy */
    const void *in;
    void *out;
};

static void
run_once(void *context)
{
    const struct run *run = context;

    if (run->bench == NULL) {
        memcpy(run->out, run->in, ELEMENT_COUNT * sizeof(double));
    } else if (dtx_convert(run->bench->from, run->bench->to, run->in, run->out,
                           ELEMENT_COUNT) >= 0) {
        abort();
    }
}

static void
run_case(const struct bench_case *bench, char *in, char *out, bool wants_lines)
{
    struct run run = {bench, in, out};
    const char *from = bench == NULL ? "memcpy" : dtx_dtype_name(bench->from);
    const char *to = bench == NULL ? "" : dtx_dtype_name(bench->to);
    size_t bytes =
        bench == NULL ? 2 * sizeof(double)
                      : dtx_dtype_size(bench->from) + dtx_dtype_size(bench->to);
    double seconds;

    if (bench != NULL) {
        fill(bench->from, in);
    }
    seconds = bench_best(run_once, &run, REPEAT_COUNT);
    if (wants_lines) {
        bench_line(seconds, "convert: %s%s%s", from, *to != '\0' ? " to " : "",
                   to);
    } else {
        printf("%-15s %-15s %6.1f\n", from, to,
               1e-9 * (double)(bytes * ELEMENT_COUNT) / seconds);
    }
}

int
main(int argc, char **argv)
{
    bool wants_lines = bench_wants_lines(argc, argv);
    char *in = calloc(ELEMENT_COUNT, ELEMENT_BYTES_MAX);
    char *out = calloc(ELEMENT_COUNT, ELEMENT_BYTES_MAX);

    if (in == NULL || out == NULL) {
        abort();
    }
    if (!wants_lines) {
        printf("%-15s %-15s %6s\n", "from", "to", "GB/s");
    }
    run_case(NULL, in, out, wants_lines);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_case(&cases[i], in, out, wants_lines);
    }
    free(in);
    free(out);
    return 0;
}
