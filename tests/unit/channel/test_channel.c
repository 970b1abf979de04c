#include <string.h>

#include "../../gpu/double_cuda.h"
#include "../engine/crew.h"
#include "support/claim.h"
#include "swap.h"
#include "transport/transport.h"

static void
work(struct crew_member *m)
{
    m->transport->reads_device = double_is_open;
    swap_work(m->context, m->transport);
}

/* All processes have done the same, and rightly. */
static void
check_all(const struct swap *swap, bool may_lack_memory)
{
    for (int p = 0; p < swap->options.process_count; p++) {
        claim(swap->status[p] == swap->status[0], "%s", swap_describe(swap));
    }
    if (may_lack_memory && swap->status[0] == DTX_ERR_LIMIT) {
        return;
    }
    claim(swap->status[0] == DTX_OK, "%s", swap_describe(swap));
    for (int p = 0; p < swap->options.process_count; p++) {
        swap_check(swap, p);
    }
}

/* Where arrays are. */
enum arrays { ON_THE_HOST, ON_DEVICES, ON_OPEN_DEVICES };

static void
run_cases(int count, uint64_t memory_most, enum arrays where)
{
    static struct swap swap;
    struct random random = random_begin();

    for (int i = 0; i < count; i++) {
        int processes = 1 + (int)random_below(&random, SWAP_PROCESSES_MOST);
        struct dtx_plan_options options =
            swap_options(&random, processes, memory_most);
        struct layout_case text;

        layout_case_make(&random, 12, &text);
        swap_begin(&swap, &text, &options, &random);
        swap.meets = random_below(&random, 3) == 0;
        swap.run_count = 1 + (int)random_below(&random, 3);
        if (where != ON_THE_HOST) {
            double_is_open = where == ON_OPEN_DEVICES;
            swap_use_devices(&swap, double_is_open, &random);
        }
        crew_run(processes, work, &swap);
        check_all(&swap, memory_most > 0);
        swap_finish(&swap);
        layout_case_finish(&text);
    }
}

Test(channel, of_any_layouts_fills_every_array_and_no_gap, .timeout = 300)
{
    run_cases(200, 0, ON_THE_HOST);
}

Test(channel, in_little_memory_does_so_too, .timeout = 300)
{
    run_cases(200, 3000, ON_THE_HOST);
}

Test(channel, to_and_from_devices_does_so_too, .timeout = 300)
{
    run_cases(100, 0, ON_DEVICES);
    run_cases(100, 3000, ON_DEVICES);
}

/* Messages are taken where they are: arrays that are one whole message aren't
 * copied. */
Test(channel, right_to_and_from_devices_does_so_too, .timeout = 300)
{
    run_cases(100, 0, ON_OPEN_DEVICES);
    run_cases(100, 3000, ON_OPEN_DEVICES);
}
