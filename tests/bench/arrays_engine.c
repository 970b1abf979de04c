/*
 * dtx's engine on files in memory. Each process has all files of the source,
 * but only its own block of the matrix is ever touched. The target of one run
 * is the memory of the next, as an array that is filled again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include <dtx/plan.h>

#include "bench_arrays.h"
#include "engine/reshard.h"
#include "storage/memory/memory_files.h"
#include "storage/memory/memory_storage.h"

struct engine_way {
    struct arrays_way base;
    int64_t order;
    int process;
    const struct arrays_case *c;
    struct dtx_storage_ops ops; /* the storage's, but that it keeps memory */
    struct dtx_transport *transport;
    struct dtx_memory_files *files;
    struct dtx_storage *storage;
    struct dtx_device *device;
    struct dtx_diagnostics *list;
    struct dtx_layout *layouts[2];
    struct dtx_catalog *catalog;
    struct dtx_plan *plan;
    struct dtx_error err;
};

static const struct dtx_storage_ops *memory_ops;

static void
demand(const struct engine_way *way, enum dtx_status status)
{
    if (status != DTX_OK) {
        fprintf(stderr, "dtx: %s\n", way->err.message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Takes up the file that the last run has left, if there is one. */
static enum dtx_status
create(struct dtx_storage *storage, struct dtx_target_file *file,
       struct dtx_error *err)
{
    if (!memory_ops->exists(storage, file->path)) {
        return memory_ops->create(storage, file, err);
    }
    if (memory_ops->commit(storage, file->path, file->temporary, err) !=
        DTX_OK) {
        return err->status;
    }
    return memory_ops->reopen(storage, file, err);
}

static void
parse(struct engine_way *way, enum dtx_role role, const char *name,
      const int *grid)
{
    char text[512];

    snprintf(text, sizeof text,
             "mesh: {r: %d, c: %d}\n"
             "checkpoint: {path: \"%s/{rank}.h5\"}\n"
             "tensors:\n"
             "  - {name: \"**\", placements: {r: shard(0), c: shard(1)}}\n",
             grid[0], grid[1], name);
    demand(way, dtx_layout_parse(text, name, ".", role, way->list,
                                 &way->layouts[role == DTX_TARGET], &way->err));
}

/* The element of the matrix at which a process's block begins. */
static int64_t
block_begin(const struct engine_way *way, const int *grid)
{
    int64_t row = way->process / grid[1], column = way->process % grid[1];

    return row * (way->order / grid[0]) * way->order +
           column * (way->order / grid[1]);
}

/* The value of the i-th element of a block whose rows are so wide. */
static double
value_at(const struct engine_way *way, int64_t first, int64_t width, int64_t i)
{
    int64_t row = i / width;

    return (double)(first + row * way->order + i % width);
}

static void
fill_source(struct engine_way *way)
{
    const int *grid = way->c->src_grid;
    int64_t shape[2] = {way->order / grid[0], way->order / grid[1]};
    int64_t first = block_begin(way, grid);

    for (int p = 0; p < ARRAYS_PROCESSES; p++) {
        char path[64];
        struct dtx_memory_file *file;
        struct dtx_memory_blob *blob;

        snprintf(path, sizeof path, "src/%d.h5", p);
        file = dtx_memory_add_file(way->files, path);
        blob = dtx_memory_add_blob(file, "matrix", dtx_type_of(DTX_FLOAT64), 2,
                                   shape);
        if (blob == NULL) {
            MPI_Abort(MPI_COMM_WORLD, 1);
            return;
        }
        for (int64_t i = 0; i < shape[0] * shape[1] && p == way->process; i++) {
            ((double *)(void *)blob->data)[i] =
                value_at(way, first, shape[1], i);
        }
    }
}

static void
make_plan(struct engine_way *way)
{
    struct dtx_plan_options options = {.strategy = DTX_STRATEGY_OPTIMAL,
                                       .process_count = ARRAYS_PROCESSES,
                                       .memory_bytes = (uint64_t)256 << 20,
                                       .map = DTX_MAP_BLOCK};

    demand(way, dtx_plan_create(way->layouts[0], way->layouts[1], way->catalog,
                                &options, way->list, &way->plan, &way->err));
}

static void
run(struct arrays_way *base)
{
    struct engine_way *way = (struct engine_way *)base;
    struct dtx_reshard_options how = {
        .force = true, .check_replicas = DTX_CHECK_REPLICAS_NONE};
    struct dtx_reshard_summary summary;

    make_plan(way); /* as PDGEMR2D does every time */
    demand(way, engine_reshard(way->plan, way->transport, way->storage,
                               way->device, &how, &summary, &way->err));
    dtx_plan_destroy(way->plan);
}

static void
check(struct arrays_way *base)
{
    struct engine_way *way = (struct engine_way *)base;
    int64_t first = block_begin(way, way->c->dst_grid);
    int64_t shape[DTX_NDIM_MAX];
    const double *data;
    char path[64];
    int ndim;

    snprintf(path, sizeof path, "dst/%d.h5", way->process);
    data = dtx_memory_files_get(way->files, path, "matrix", &ndim, shape);
    for (int64_t i = 0; data != NULL && i < shape[0] * shape[1]; i++) {
        if (data[i] != value_at(way, first, shape[1], i)) {
            data = NULL;
        }
    }
    if (data == NULL) {
        fprintf(stderr, "dtx: a wrong value, or none\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void
destroy(struct arrays_way *base)
{
    struct engine_way *way = (struct engine_way *)base;

    dtx_catalog_destroy(way->catalog);
    dtx_layout_destroy(way->layouts[0]);
    dtx_layout_destroy(way->layouts[1]);
    dtx_diagnostics_destroy(way->list);
    way->device->ops->destroy(way->device);
    way->storage->ops->destroy(way->storage);
    dtx_memory_files_destroy(way->files);
    dtx_transport_destroy(way->transport);
    free(way);
}

struct arrays_way *
engine_way_create(const struct arrays_case *c, int64_t order)
{
    struct engine_way *way = calloc(1, sizeof *way);

    if (way == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return NULL;
    }
    way->base = (struct arrays_way){"dtx", run, check, destroy};
    way->order = order;
    way->c = c;
    demand(way, dtx_transport_create_mpi(&way->transport, &way->err));
    way->process = dtx_transport_process(way->transport);
    way->files = dtx_memory_files_create();
    way->list = dtx_diagnostics_create();
    demand(way,
           dtx_memory_storage_create(way->files, &way->storage, &way->err));
    demand(way, dtx_host_device_create(&way->device, &way->err));
    memory_ops = way->storage->ops;
    way->ops = *memory_ops;
    way->ops.create = create;
    way->storage->ops = &way->ops;
    parse(way, DTX_SOURCE, "src", c->src_grid);
    parse(way, DTX_TARGET, "dst", c->dst_grid);
    fill_source(way);
    demand(way, engine_read_catalog(way->layouts[0], way->transport, NULL,
                                    way->storage, &way->catalog, &way->err));
    return &way->base;
}
