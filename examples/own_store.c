/*
 * Tensors that are no arrays: the source makes its elements while they are
 * read, and the target only sums what arrives.
 *
 *     mpirun -n 3 own_store
 */
#include <stdio.h>

#include <dtx/build.h>
#include <dtx/channel.h>
#include <dtx/mpi.h>

enum { EXTENT = 1000 };

static int64_t
count_of(const struct dtx_store_box *box)
{
    int64_t count = 1;
    int dim;

    for (dim = 0; dim < box->ndim; dim++) {
        count *= box->len[dim];
    }
    return count;
}

/* The element i of rank r is r * 1000 + i. */
static enum dtx_status
make_box(void *context, const struct dtx_store_box *box, void *buffer,
         struct dtx_error *err)
{
    int32_t *out = buffer;
    int64_t i;

    (void)context;
    (void)err;
    for (i = 0; i < count_of(box); i++) {
        out[i] = (int32_t)(box->rank * 1000 + box->lo[0] + i);
    }
    return DTX_OK;
}

static enum dtx_status
sum_box(void *context, const struct dtx_store_box *box, const void *buffer,
        struct dtx_error *err)
{
    const int32_t *in = buffer;
    int64_t *sum = context;
    int64_t i;

    (void)err;
    for (i = 0; i < count_of(box); i++) {
        *sum += in[i];
    }
    return DTX_OK;
}

/* All of a tensor on each rank, or what "partial(sum)" makes of it. */
static enum dtx_status
make_layout(const char *placement, int size, struct dtx_diagnostics *list,
            struct dtx_layout **layout, struct dtx_error *err)
{
    struct dtx_mesh_axis axis = {"dp", size};
    struct dtx_axis_placement placed = {"dp", placement};
    struct dtx_rule_spec rule = {"*", 1, &placed, DTX_RAW};
    struct dtx_layout_spec spec = {
        .axis_count = 1, .axes = &axis, .rule_count = 1, .rules = &rule};

    return dtx_layout_build(&spec, "own_store.c", list, layout, err);
}

/* The terms of all processes are reduced into one value on each. */
static enum dtx_status
run(struct dtx_transport *transport, struct dtx_diagnostics *list, int64_t *sum,
    struct dtx_error *err)
{
    static const int64_t shape[] = {EXTENT};
    static const struct dtx_tensor_spec spec = {"gradient", DTX_INT32, 1,
                                                shape};
    int size = dtx_transport_process_count(transport);
    struct dtx_layout *source = NULL, *target = NULL;
    struct dtx_catalog *catalog = NULL;
    struct dtx_channel *channel = NULL;
    struct dtx_store from = {.read = make_box};
    struct dtx_store to = {.context = sum, .write = sum_box};
    enum dtx_status status =
        make_layout("partial(sum)", size, list, &source, err);

    if (status == DTX_OK) {
        status = make_layout("replicate", size, list, &target, err);
    }
    if (status == DTX_OK) {
        status = dtx_catalog_create(&spec, 1, &catalog, err);
    }
    if (status == DTX_OK) {
        struct dtx_offer offer = {
            .source = source, .catalog = catalog, .target = target};

        status = dtx_channel_meet(&offer, transport, NULL, list, &channel, err);
    }
    if (status == DTX_OK) {
        dtx_channel_use_store(channel, DTX_SOURCE, &from);
        dtx_channel_use_store(channel, DTX_TARGET, &to);
        status = dtx_channel_run(channel, err);
    }
    dtx_channel_close(channel);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(source);
    dtx_layout_destroy(target);
    return status;
}

int
main(int argc, char **argv)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_transport *transport = NULL;
    struct dtx_error err = {0};
    enum dtx_status status;
    int64_t sum = 0;
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    status = dtx_transport_create_comm(MPI_COMM_WORLD, &transport, &err);
    if (status == DTX_OK) {
        status = run(transport, list, &sum, &err);
    }
    if (status == DTX_OK) {
        printf("process %d: %lld\n", dtx_transport_process(transport),
               (long long)sum);
    } else {
        fprintf(stderr, "%s\n", err.message);
    }
    dtx_transport_destroy(transport);
    dtx_diagnostics_destroy(list);
    MPI_Finalize();
    return (int)status;
}
