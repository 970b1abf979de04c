/*
 * Reshards a checkpoint as `dtx reshard` does, but through the memory of a
 * program: reads the source's files into arrays, moves them by a channel, and
 * writes the arrays of the target into its files. Whatever checks a target
 * that dtx wrote checks channels this way.
 *
 *     files-in-memory reshard SRC DST [--strategy S]
 */
#include <errno.h>
#include <hdf5.h>
#include <mpi.h>
#include <string.h>
#include <sys/stat.h>

#include <dtx/channel.h>
#include <dtx/mpi.h>

#include "storage/hdf5/hdf5_types.h"
#include "support/claim.h"

enum { NDIM_MOST = 32, PATH_BYTES = 4096, MEMORY = 1 << 22 };

struct job {
    struct dtx_transport *transport;
    struct dtx_diagnostics *list;
    struct dtx_layout *files[2];  /* as `dtx reshard` has them */
    struct dtx_layout *arrays[2]; /* of memory */
    struct dtx_catalog *listed, *catalog;
    struct dtx_plan *written; /* of the files: where shards stand */
    struct dtx_plan *plan;    /* of the arrays */
    struct dtx_channel *channel;
    int process;
    /* The shards that are visited. */
    enum dtx_role role;
    struct dtx_plan_tensor tensor;
    int position; /* of the last one */
};

/* An array that is bound, until the program ends. */
struct bound {
    struct bound *next;
    enum dtx_role role;
    char *name;
    int64_t rank;
    void *data;
};

static struct bound *all_bound;

static void
need(const struct job *job, enum dtx_status status, const struct dtx_error *err)
{
    if (status != DTX_OK) {
        char *drawn = dtx_diagnostics_draw(job->list);

        fprintf(stderr, "%s%s (%s)\n", drawn, err->message, err->tensor);
        MPI_Abort(MPI_COMM_WORLD, (int)status);
    }
}

/* ------------------------------------------------------------------ shards */

static int64_t
element_count(const struct dtx_shard *shard)
{
    int64_t count = 1;

    for (int dim = 0; dim < shard->ndim; dim++) {
        count *= shard->shape[dim];
    }
    return count;
}

static struct dtx_type
type_of(const struct job *job)
{
    return job->role == DTX_SOURCE ? job->tensor.source_type : job->tensor.type;
}

/* Adds to a selection of the whole tensor what a shard holds of it, in the
 * shard's order, which ascends. */
static void
select_runs(hid_t space, const struct dtx_shard *shard)
{
    hsize_t at[NDIM_MOST] = {0}, start[NDIM_MOST], count[NDIM_MOST];
    int dim = 0;

    H5Sselect_none(space);
    while (dim >= 0) {
        for (dim = 0; dim < shard->ndim; dim++) {
            const struct dtx_index_run *run = &shard->runs[dim][at[dim]];

            start[dim] = (hsize_t)run->begin;
            count[dim] = (hsize_t)(run->end - run->begin);
        }
        claim(H5Sselect_hyperslab(space, H5S_SELECT_OR, start, NULL, count,
                                  NULL) >= 0);
        for (dim = shard->ndim - 1; dim >= 0; dim--) {
            if (++at[dim] < (hsize_t)shard->run_counts[dim]) {
                break;
            }
            at[dim] = 0;
        }
    }
}

/* The part of a dataset that a shard is. */
static hid_t
select_shard(hid_t dataset, const struct dtx_shard *shard)
{
    hid_t space = H5Dget_space(dataset);

    claim(space >= 0);
    if (shard->is_global && shard->ndim > 0) {
        select_runs(space, shard);
    }
    return space;
}

static hid_t
memory_space(const struct dtx_shard *shard)
{
    hsize_t count = (hsize_t)element_count(shard);

    return shard->ndim == 0 ? H5Screate(H5S_SCALAR)
                            : H5Screate_simple(1, &count, NULL);
}

/* ------------------------------------------------------------------ arrays */

static void
bind(struct job *job, const struct dtx_shard *shard, void *data)
{
    struct bound *bound = malloc(sizeof *bound);
    struct dtx_error err;
    struct dtx_array array = {.rank = shard->rank,
                              .dtype = type_of(job).dtype,
                              .ndim = shard->ndim,
                              .shape = shard->shape,
                              .data = data};

    array.tensor =
        job->role == DTX_SOURCE ? job->tensor.source_name : job->tensor.name;
    *bound = (struct bound){all_bound, job->role, strdup(array.tensor),
                            shard->rank, data};
    all_bound = bound;
    need(job, dtx_channel_bind(job->channel, job->role, &array, &err), &err);
}

static void *
find_data(enum dtx_role role, const char *name, int64_t rank)
{
    for (struct bound *b = all_bound; b != NULL; b = b->next) {
        if (b->role == role && b->rank == rank && strcmp(b->name, name) == 0) {
            return b->data;
        }
    }
    claim(false, "%s of rank %lld isn't here", name, (long long)rank);
    return NULL;
}

/* The process that hosts a shard. */
static int
host_of(struct job *job, const struct dtx_shard *shard)
{
    const struct dtx_layout *layout = job->arrays[job->role];
    const int *processes = job->role == DTX_SOURCE
                               ? dtx_plan_source_processes(job->plan)
                               : dtx_plan_target_processes(job->plan);

    while (dtx_layout_rank(layout, job->position) != shard->rank) {
        job->position++;
    }
    return processes[job->position];
}

static void
read_shard(const struct job *job, const struct dtx_shard *shard, void *data)
{
    hid_t type = dtx_hdf5_make_type(type_of(job), NULL);
    hid_t file = H5Fopen(shard->file, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen(file, shard->dataset, H5P_DEFAULT);
    hid_t space = select_shard(dataset, shard);
    hid_t memory = memory_space(shard);

    claim(H5Dread(dataset, type, memory, space, H5P_DEFAULT, data) >= 0,
          "%s:%s", shard->file, shard->dataset);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    H5Tclose(type);
}

/* Gives a shard that is hosted here an array, a source's with its values. */
static bool
bind_shard(const struct dtx_shard *shard, void *context)
{
    struct job *job = context;
    int64_t count = element_count(shard);
    void *data = NULL;

    if (host_of(job, shard) != job->process) {
        return true;
    }
    if (count > 0) {
        data = malloc((size_t)count * type_of(job).size_bytes);
        memset(data, 0xA5, (size_t)count * type_of(job).size_bytes);
    }
    if (count > 0 && job->role == DTX_SOURCE) {
        read_shard(job, shard, data);
    }
    bind(job, shard, data);
    return true;
}

/* ------------------------------------------------------------------- files */

static void
make_folders(const char *file)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s", file);
    for (char *at = strchr(path + 1, '/'); at != NULL;
         at = strchr(at + 1, '/')) {
        *at = '\0';
        claim(mkdir(path, 0777) == 0 || errno == EEXIST, "%s", path);
        *at = '/';
    }
}

/* Opens a dataset, or makes it, with the whole tensor's shape in a file of
 * all ranks. */
static hid_t
open_dataset(const struct job *job, const struct dtx_shard *shard, hid_t file,
             hid_t type)
{
    const int64_t *shape = shard->is_global ? job->tensor.shape : shard->shape;
    hid_t links = H5Pcreate(H5P_LINK_CREATE), space, dataset;
    hsize_t extents[NDIM_MOST];

    H5Pset_create_intermediate_group(links, 1);
    for (int dim = 0; dim < shard->ndim; dim++) {
        extents[dim] = (hsize_t)shape[dim];
    }
    space = shard->ndim == 0 ? H5Screate(H5S_SCALAR)
                             : H5Screate_simple(shard->ndim, extents, NULL);
    H5E_BEGIN_TRY
    {
        dataset = H5Dopen(file, shard->dataset, H5P_DEFAULT);
    }
    H5E_END_TRY
    if (dataset < 0) {
        dataset = H5Dcreate(file, shard->dataset, type, space, links,
                            H5P_DEFAULT, H5P_DEFAULT);
    }
    claim(dataset >= 0, "%s:%s", shard->file, shard->dataset);
    H5Sclose(space);
    H5Pclose(links);
    return dataset;
}

static void
write_shard(const struct job *job, const struct dtx_shard *shard,
            const void *data)
{
    struct stat info;
    hid_t type = dtx_hdf5_make_type(type_of(job), NULL);
    hid_t memory = memory_space(shard), file, dataset, space;

    make_folders(shard->file);
    file = stat(shard->file, &info) == 0
               ? H5Fopen(shard->file, H5F_ACC_RDWR, H5P_DEFAULT)
               : H5Fcreate(shard->file, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    dataset = open_dataset(job, shard, file, type);
    space = select_shard(dataset, shard);
    if (element_count(shard) > 0) {
        claim(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, data) >= 0);
    }
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    H5Sclose(memory);
    H5Tclose(type);
}

/* Process 0 writes what all have, so that no two have a file open. */
static bool
gather_shard(const struct dtx_shard *shard, void *context)
{
    struct job *job = context;
    int host = host_of(job, shard);
    int bytes = (int)element_count(shard) * (int)type_of(job).size_bytes;
    void *data = NULL;

    if (host == job->process) {
        data = find_data(DTX_TARGET, job->tensor.name, shard->rank);
    } else if (job->process == 0) {
        data = malloc((size_t)bytes + 1);
        MPI_Recv(data, bytes, MPI_BYTE, host, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    if (job->process == 0) {
        write_shard(job, shard, data);
    } else if (host == job->process) {
        MPI_Send(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    if (job->process == 0 && host != 0) {
        free(data);
    }
    return true;
}

static void
each_shard(struct job *job, enum dtx_role role, dtx_shard_visit *visit)
{
    struct dtx_error err;

    job->role = role;
    for (int t = 0; t < dtx_plan_tensor_count(job->written); t++) {
        dtx_plan_tensor(job->written, t, &job->tensor);
        job->position = 0;
        need(job, dtx_plan_each_shard(job->written, role, t, visit, job, &err),
             &err);
    }
}

/* ----------------------------------------------------------------- channel */

static void
load(struct job *job, char **paths)
{
    struct dtx_error err;

    for (int side = DTX_SOURCE; side <= DTX_TARGET; side++) {
        need(job,
             dtx_layout_load(paths[side], (enum dtx_role)side, job->list,
                             &job->files[side], &err),
             &err);
        need(job,
             dtx_layout_load(paths[side], DTX_MEMORY, job->list,
                             &job->arrays[side], &err),
             &err);
    }
    need(job,
         dtx_catalog_read(job->files[0], job->transport, NULL, &job->listed,
                          &err),
         &err);
}

static void
list_tensors(struct job *job)
{
    int count = dtx_plan_tensor_count(job->written);
    struct dtx_tensor_spec *specs = malloc((size_t)count * sizeof *specs);
    struct dtx_error err;

    for (int t = 0; t < count; t++) {
        struct dtx_plan_tensor tensor;

        dtx_plan_tensor(job->written, t, &tensor);
        specs[t] = (struct dtx_tensor_spec){.name = tensor.source_name,
                                            .dtype = tensor.source_type.dtype,
                                            .ndim = tensor.ndim,
                                            .shape = tensor.shape};
    }
    need(job, dtx_catalog_create(specs, count, &job->catalog, &err), &err);
    free(specs);
}

static void
open_channel(struct job *job, enum dtx_strategy strategy)
{
    struct dtx_plan_options options = {
        .strategy = strategy,
        .process_count = dtx_transport_process_count(job->transport),
        .memory_bytes = MEMORY,
        .map = DTX_MAP_CYCLIC};
    struct dtx_error err;

    need(job,
         dtx_plan_create(job->files[0], job->files[1], job->listed, &options,
                         job->list, &job->written, &err),
         &err);
    list_tensors(job);
    need(job,
         dtx_plan_create(job->arrays[0], job->arrays[1], job->catalog, &options,
                         job->list, &job->plan, &err),
         &err);
    need(job, dtx_channel_open(job->plan, job->transport, &job->channel, &err),
         &err);
}

static void
close_all(struct job *job)
{
    dtx_channel_close(job->channel);
    dtx_plan_destroy(job->plan);
    dtx_plan_destroy(job->written);
    dtx_catalog_destroy(job->catalog);
    dtx_catalog_destroy(job->listed);
    for (int side = 0; side < 2; side++) {
        dtx_layout_destroy(job->files[side]);
        dtx_layout_destroy(job->arrays[side]);
    }
    while (all_bound != NULL) {
        struct bound *next = all_bound->next;

        free(all_bound->name);
        free(all_bound->data);
        free(all_bound);
        all_bound = next;
    }
    dtx_transport_destroy(job->transport);
    dtx_diagnostics_destroy(job->list);
}

int
main(int argc, char **argv)
{
    struct job job = {.list = dtx_diagnostics_create()};
    enum dtx_strategy strategy = DTX_STRATEGY_AUTO;
    struct dtx_error err;
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    claim(argc >= 4 && strcmp(argv[1], "reshard") == 0);
    if (argc >= 6 && strcmp(argv[4], "--strategy") == 0) {
        while (strcmp(dtx_strategy_name(strategy), argv[5]) != 0) {
            strategy = (enum dtx_strategy)((int)strategy + 1);
            claim(strategy < DTX_STRATEGY_COUNT, "%s", argv[5]);
        }
    }
    need(&job, dtx_transport_create_mpi(&job.transport, &err), &err);
    job.process = dtx_transport_process(job.transport);
    load(&job, argv + 2);
    open_channel(&job, strategy);
    each_shard(&job, DTX_SOURCE, bind_shard);
    each_shard(&job, DTX_TARGET, bind_shard);
    need(&job, dtx_channel_run(job.channel, &err), &err);
    each_shard(&job, DTX_TARGET, gather_shard);
    close_all(&job);
    MPI_Finalize();
    return 0;
}
