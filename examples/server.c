/*
 * A server: its bfloat16 weights are renewed by the trainer, see trainer.c.
 * While they arrive it has time for other things.
 */
#include "weights.h"

/* Stands for serving. */
static void
serve(void)
{
}

int
main(int argc, char **argv)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_transport *transport = NULL;
    struct dtx_channel *channel = NULL;
    struct dtx_offer offer = {0};
    struct dtx_error err = {0};
    uint16_t *weights[LAYERS]; /* bfloat16 */
    enum dtx_status status;
    int level, rank, size, step;
    MPI_Comm servers;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_split(MPI_COMM_WORLD, 1, 0, &servers);
    MPI_Comm_rank(servers, &rank);
    MPI_Comm_size(servers, &size);

    offer.target = divide("shard(1)", size, DTX_BFLOAT16);
    status = dtx_transport_create_comm(MPI_COMM_WORLD, &transport, &err);
    if (status == DTX_OK) {
        status =
            dtx_channel_meet(&offer, transport, NULL, list, &channel, &err);
    }
    if (status != DTX_OK) {
        give_up(status, &err);
    }

    (void)bind_layers(channel, DTX_TARGET, rank, DTX_BFLOAT16,
                      (void **)weights);
    for (step = 1; step <= STEPS; step++) {
        bool done = false;

        status = dtx_channel_begin(channel, &err);
        while (status == DTX_OK && !done) {
            serve();
            status = dtx_channel_test(channel, &done, &err);
        }
        if (status != DTX_OK) {
            give_up(status, &err);
        }
        /* 1, 2 and 3 in bfloat16 are 0x3f80, 0x4000 and 0x4040. */
        printf("server %d: step %d, weight %04x\n", rank, step, weights[0][0]);
    }

    dtx_channel_close(channel);
    dtx_transport_destroy(transport);
    dtx_layout_destroy((struct dtx_layout *)offer.target);
    dtx_diagnostics_destroy(list);
    for (step = 0; step < LAYERS; step++) {
        free(weights[step]);
    }
    MPI_Comm_free(&servers);
    MPI_Finalize();
    return 0;
}
