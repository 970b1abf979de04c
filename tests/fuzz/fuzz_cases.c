/*
 * Plans of random layouts that are right, each carried out on paper: every
 * element arrives just once where it belongs, within the memory. The input is
 * the seed of the case.
 */
#include "fuzz.h"
#include "unit/plan/simulation.h"

enum { POSITIONS_MOST = 12, PROCESSES_MOST = 12 };

static void
plan_again(struct planned *p, const struct dtx_plan_options *options)
{
    planned_again(p, options);
    so(p->status == DTX_OK || p->status == DTX_ERR_LIMIT);
    if (p->status == DTX_OK) {
        simulate(p);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct random random = {.state = 0xcbf29ce484222325u};
    struct dtx_plan_options options;
    struct layout_case text;
    struct planned p;

    for (size_t i = 0; i < size; i++) {
        random.state = (random.state ^ data[i]) * 0x100000001b3u;
    }
    options = random_options(&random, PROCESSES_MOST);
    layout_case_make(&random, POSITIONS_MOST, &text);
    planned_begin(&p, &text, &options);
    so(p.status == DTX_OK);
    for (int i = 0; i < DTX_STRATEGY_COUNT; i++) {
        options.strategy = (enum dtx_strategy)i;
        options.memory_bytes = 1 << 20;
        plan_again(&p, &options);
        options.memory_bytes = 500 + random_below(&random, 4000);
        plan_again(&p, &options);
    }
    planned_finish(&p);
    layout_case_finish(&text);
    return 0;
}
