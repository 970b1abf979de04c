/*
 * A matrix that goes from one block layout to another between processes, in
 * memory: dtx's engine on its storage in memory, and in turn with it
 * ScaLAPACK's PDGEMR2D, where that is installed.
 *
 *     mpirun -n 4 bench-arrays [ORDER [RUNS]]
 *
 * The matrix is ORDER x ORDER float64; dtx's is row-major, and PDGEMR2D gets
 * the transposed layouts of its column-major one, so that both move the same
 * bytes between the same places. Memory is touched by a first run. Prints
 * "SECONDS<tab>NAME" for the median of the runs, of the slowest process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "bench.h"
#include "bench_arrays.h"

enum { RUNS_MOST = 99 };

static int
compare_seconds(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return a < b ? -1 : a > b;
}

/* Runs both in turn; the first of each isn't counted. */
static void
run_case(const struct arrays_case *c, int64_t order, int run_count)
{
    static double seconds[ARRAYS_WAYS][RUNS_MOST];
    struct arrays_way *ways[ARRAYS_WAYS] = {engine_way_create(c, order),
                                            scalapack_way_create(c, order)};
    int process;

    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    for (int i = -1; i < run_count; i++) {
        for (int way = 0; way < ARRAYS_WAYS; way++) {
            double begin, took;

            if (ways[way] == NULL) {
                continue;
            }
            MPI_Barrier(MPI_COMM_WORLD);
            begin = bench_now();
            ways[way]->run(ways[way]);
            took = bench_now() - begin;
            MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX,
                          MPI_COMM_WORLD);
            if (i >= 0) {
                seconds[way][i] = took;
            }
        }
    }
    for (int way = 0; way < ARRAYS_WAYS; way++) {
        if (ways[way] == NULL) {
            continue;
        }
        ways[way]->check(ways[way]);
        if (process == 0) {
            qsort(seconds[way], (size_t)run_count, sizeof **seconds,
                  compare_seconds);
            bench_line(seconds[way][run_count / 2], "%s: %s", ways[way]->name,
                       c->name);
        }
        ways[way]->destroy(ways[way]);
    }
}

int
main(int argc, char **argv)
{
    static const struct arrays_case cases[] = {
        {"block columns to block rows", {1, 4}, {4, 1}},
        {"2 x 2 blocks to block rows", {2, 2}, {4, 1}},
    };
    long order = argc > 1 ? strtol(argv[1], NULL, 10) : 1024;
    int run_count = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 5;
    int count, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (count != ARRAYS_PROCESSES || order < 4 || order % 4 != 0 ||
        run_count < 1 || run_count > RUNS_MOST) {
        fprintf(stderr, "usage: mpirun -n 4 bench-arrays [ORDER [RUNS]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_case(&cases[i], order, run_count);
    }
    MPI_Finalize();
    return 0;
}
