/*
 * What small benchmarks share: a clock, and lines that tools/bench reads.
 *
 * A benchmark prints a table for people. Called with --lines it prints a line
 * "SECONDS<tab>NAME" for each thing measured instead, seconds of one run.
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stdbool.h>

/* Seconds of a clock that only goes forward. */
double bench_now(void);

/* True where the first argument is --lines. */
bool bench_wants_lines(int argc, char **argv);

__attribute__((format(printf, 2, 3))) void bench_line(double seconds,
                                                      const char *format, ...);

/* Work that is timed. */
typedef void bench_work(void *context);

/* The shortest of so many runs, after one that touches the memory. */
double bench_best(bench_work *work, void *context, int run_count);

#endif
