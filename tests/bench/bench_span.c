/*
 * Preloaded into an MPI program: notes when MPI_Init returned and when
 * MPI_Finalize was called, on a clock that all processes of a node share, and
 * the most memory that the process has had.
 *
 * Each process adds a line "BEGIN END KIB" to the file that BENCH_SPAN names.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <mpi.h>

#include "bench.h"

static double begin_s;

#define SHOWN __attribute__((visibility("default")))

SHOWN int
MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);

    begin_s = bench_now();
    return code;
}

SHOWN int
MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);

    begin_s = bench_now();
    return code;
}

SHOWN int
MPI_Finalize(void)
{
    double end_s = bench_now();
    const char *path = getenv("BENCH_SPAN");
    struct rusage usage;
    char line[128];
    int length, fd;

    getrusage(RUSAGE_SELF, &usage);
    length = snprintf(line, sizeof line, "%.9f %.9f %ld\n", begin_s, end_s,
                      usage.ru_maxrss);
    fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (fd >= 0) {
        if (write(fd, line, (size_t)length) != length) {
            perror(path);
        }
        close(fd);
    }
    return PMPI_Finalize();
}
