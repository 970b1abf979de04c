/*
 * A trainer: after every step its float32 weights go to the server, which has
 * them in bfloat16, divided the other way.
 *
 *     mpirun -n 2 trainer : -n 2 server
 */
#include "weights.h"

static struct dtx_catalog *
list_tensors(void)
{
    static const int64_t shape[] = {WIDTH, WIDTH};
    struct dtx_tensor_spec specs[LAYERS];
    char names[LAYERS][NAME_BYTES];
    struct dtx_catalog *catalog = NULL;
    struct dtx_error err;
    enum dtx_status status;
    int layer;

    for (layer = 0; layer < LAYERS; layer++) {
        snprintf(names[layer], NAME_BYTES, "layers.%d.weight", layer);
        specs[layer] =
            (struct dtx_tensor_spec){names[layer], DTX_FLOAT32, 2, shape};
    }
    status = dtx_catalog_create(specs, LAYERS, &catalog, &err);
    if (status != DTX_OK) {
        give_up(status, &err);
    }
    return catalog;
}

/* Stands for training: all weights are the number of the step. */
static void
train(float **weights, int64_t count, int step)
{
    int64_t i;
    int layer;

    for (layer = 0; layer < LAYERS; layer++) {
        for (i = 0; i < count; i++) {
            weights[layer][i] = (float)step;
        }
    }
}

int
main(int argc, char **argv)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_transport *transport = NULL;
    struct dtx_channel *channel = NULL;
    struct dtx_offer offer = {0};
    struct dtx_error err = {0};
    float *weights[LAYERS];
    enum dtx_status status;
    int level, rank, size, step;
    MPI_Comm trainers;
    int64_t count;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &trainers); /* servers give 1 */
    MPI_Comm_rank(trainers, &rank);
    MPI_Comm_size(trainers, &size);

    offer.source = divide("shard(0)", size, DTX_RAW);
    offer.catalog = list_tensors();
    status = dtx_transport_create_comm(MPI_COMM_WORLD, &transport, &err);
    if (status == DTX_OK) {
        status =
            dtx_channel_meet(&offer, transport, NULL, list, &channel, &err);
    }
    if (status != DTX_OK) {
        give_up(status, &err);
    }

    count =
        bind_layers(channel, DTX_SOURCE, rank, DTX_FLOAT32, (void **)weights);
    for (step = 1; step <= STEPS && status == DTX_OK; step++) {
        train(weights, count, step);
        status = dtx_channel_run(channel, &err);
    }
    if (status != DTX_OK) {
        give_up(status, &err);
    }

    dtx_channel_close(channel);
    dtx_transport_destroy(transport);
    dtx_catalog_destroy((struct dtx_catalog *)offer.catalog);
    dtx_layout_destroy((struct dtx_layout *)offer.source);
    dtx_diagnostics_destroy(list);
    for (step = 0; step < LAYERS; step++) {
        free(weights[step]);
    }
    MPI_Comm_free(&trainers);
    MPI_Finalize();
    return 0;
}
