/*
 * PDGEMR2D. Its matrix is the transposed one: column-major, so that what
 * stands together in memory is what stands together in dtx's rows.
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "bench_arrays.h"

#ifdef HAVE_SCALAPACK

void Cblacs_get(int context, int what, int *value_out);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row,
                     int *column);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int *desc_a, double *b,
               int ib, int jb, int *desc_b, int context);

/* One block of a matrix, column-major. */
struct block {
    int context, descriptor[9];
    int rows, columns, row, column; /* of the grid */
    int height, width;
    double *data;
};

struct scalapack_way {
    struct arrays_way base;
    int order, all; /* the context of all processes */
    struct block src, dst;
};

static void
make_block(struct block *b, int order, int rows, int columns)
{
    Cblacs_get(-1, 0, &b->context);
    Cblacs_gridinit(&b->context, "R", rows, columns);
    Cblacs_gridinfo(b->context, &b->rows, &b->columns, &b->row, &b->column);
    b->height = order / rows;
    b->width = order / columns;
    b->descriptor[0] = 1; /* dense */
    b->descriptor[1] = b->context;
    b->descriptor[2] = b->descriptor[3] = order;
    b->descriptor[4] = b->height;
    b->descriptor[5] = b->width;
    b->descriptor[8] = b->height;
    b->data = calloc((size_t)b->height * (size_t)b->width, sizeof(double));
    if (b->data == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* What element (i, j) of a block must be: (i, j) of the transposed matrix. */
static double
value(const struct scalapack_way *way, const struct block *b, int i, int j)
{
    double row = b->row * b->height + i, column = b->column * b->width + j;

    return column * way->order + row;
}

static void
run(struct arrays_way *base)
{
    struct scalapack_way *way = (struct scalapack_way *)base;

    Cpdgemr2d(way->order, way->order, way->src.data, 1, 1, way->src.descriptor,
              way->dst.data, 1, 1, way->dst.descriptor, way->all);
}

static void
check(struct arrays_way *base)
{
    struct scalapack_way *way = (struct scalapack_way *)base;
    const struct block *b = &way->dst;

    for (int j = 0; j < b->width; j++) {
        for (int i = 0; i < b->height; i++) {
            if (b->data[(size_t)j * (size_t)b->height + (size_t)i] !=
                value(way, b, i, j)) {
                fprintf(stderr, "PDGEMR2D: a wrong value\n");
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
}

static void
destroy(struct arrays_way *base)
{
    struct scalapack_way *way = (struct scalapack_way *)base;

    free(way->src.data);
    free(way->dst.data);
    Cblacs_gridexit(way->src.context);
    Cblacs_gridexit(way->dst.context);
    Cblacs_gridexit(way->all);
    free(way);
}

struct arrays_way *
scalapack_way_create(const struct arrays_case *c, int64_t order)
{
    struct scalapack_way *way = calloc(1, sizeof *way);
    struct block *b;

    if (way == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return NULL;
    }
    way->base = (struct arrays_way){"PDGEMR2D", run, check, destroy};
    way->order = (int)order;
    Cblacs_get(-1, 0, &way->all);
    Cblacs_gridinit(&way->all, "R", 1, ARRAYS_PROCESSES);
    make_block(&way->src, way->order, c->src_grid[1], c->src_grid[0]);
    make_block(&way->dst, way->order, c->dst_grid[1], c->dst_grid[0]);
    b = &way->src;
    for (int j = 0; j < b->width; j++) {
        for (int i = 0; i < b->height; i++) {
            b->data[(size_t)j * (size_t)b->height + (size_t)i] =
                value(way, b, i, j);
        }
    }
    return &way->base;
}

#else

struct arrays_way *
scalapack_way_create(const struct arrays_case *c, int64_t order)
{
    (void)c;
    (void)order;
    return NULL;
}

#endif
