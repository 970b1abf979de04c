#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double
bench_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool
bench_wants_lines(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "--lines") == 0;
}

void
bench_line(double seconds, const char *format, ...)
{
    va_list arguments;

    printf("%.9f\t", seconds);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

double
bench_best(bench_work *work, void *context, int run_count)
{
    double best = 1e9;

    for (int i = 0; i <= run_count; i++) {
        double begin = bench_now();
        double took;

        work(context);
        took = bench_now() - begin;
        if (i > 0 && took < best) {
            best = took;
        }
    }
    return best;
}
