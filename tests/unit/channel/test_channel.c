#include <string.h>

#include "support/claim.h"
#include "swap.h"

static struct dtx_plan_options
random_options(struct random *random, uint64_t memory_most)
{
    static const enum dtx_strategy strategies[] = {
        DTX_STRATEGY_AUTO, DTX_STRATEGY_OPTIMAL, DTX_STRATEGY_REDISTRIBUTE,
        DTX_STRATEGY_MATERIALIZE};
    struct dtx_plan_options options = {
        .strategy = strategies[random_below(random, 4)],
        .process_count = 1 + (int)random_below(random, SWAP_PROCESSES_MOST),
        .memory_bytes =
            memory_most > 0 ? 600 + random_below(random, memory_most) : 1 << 20,
        .map = DTX_MAP_BLOCK};

    return options;
}

static void
run_cases(int count, uint64_t memory_most)
{
    static struct swap swap;
    struct random random = random_begin();

    for (int i = 0; i < count; i++) {
        struct dtx_plan_options options = random_options(&random, memory_most);
        struct layout_case text;

        layout_case_make(&random, 12, &text);
        swap_begin(&swap, &text, &options, &random);
        swap.meets = random_below(&random, 3) == 0;
        swap.run_count = 1 + (int)random_below(&random, 3);
        swap_run(&swap);
        for (int p = 0; p < options.process_count; p++) {
            claim(swap.status[p] == swap.status[0], "%s", swap_describe(&swap));
        }
        if (memory_most == 0 || swap.status[0] != DTX_ERR_LIMIT) {
            claim(swap.status[0] == DTX_OK, "%s", swap_describe(&swap));
            swap_check(&swap);
        }
        swap_finish(&swap);
        layout_case_finish(&text);
    }
}

Test(channel, of_any_layouts_fills_every_array_and_no_gap, .timeout = 300)
{
    run_cases(200, 0);
}

Test(channel, in_little_memory_does_so_too, .timeout = 300)
{
    run_cases(200, 3000);
}
