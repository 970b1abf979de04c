/*
 * Random layouts between the arrays of the processes of an MPI job, held
 * against the brute-force model of the layout tests: mpi-swaps COUNT
 *
 * Built with DOUBLE_CUDA, half of the arrays are in the memory of the double of
 * a device.
 */
#include <mpi.h>

#include "support/claim.h"
#include "unit/channel/swap.h"

static void
run_case(struct random *random, struct dtx_transport *transport,
         uint64_t memory_most)
{
    static struct swap swap;
    int process = dtx_transport_process(transport);
    struct dtx_plan_options options = swap_options(
        random, dtx_transport_process_count(transport), memory_most);
    struct layout_case text;

    layout_case_make(random, 12, &text);
    swap_begin(&swap, &text, &options, random);
    swap.meets = random_below(random, 2) == 0;
    swap.run_count = 1 + (int)random_below(random, 3);
#ifdef DOUBLE_CUDA
    swap_use_devices(&swap, false, random);
#endif
    swap_work(&swap, transport);
    if (swap.status[process] != DTX_ERR_LIMIT || memory_most == 0) {
        claim(swap.status[process] == DTX_OK, "%s: %s",
              swap.err[process].message, swap_describe(&swap));
        swap_check(&swap, process);
    }
    swap_finish(&swap);
    layout_case_finish(&text);
}

int
main(int argc, char **argv)
{
    struct dtx_transport *transport;
    struct random random;
    struct dtx_error err;
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    claim(argc == 2 && dtx_transport_create_mpi(&transport, &err) == DTX_OK);
    random = random_begin();
    claim(dtx_transport_broadcast(transport, 0, &random, sizeof random, &err) ==
          DTX_OK);
    for (int i = 0; i < atoi(argv[1]); i++) {
        run_case(&random, transport, i % 2 == 0 ? 0 : 3000);
    }
    dtx_transport_destroy(transport);
    MPI_Finalize();
    return 0;
}
