#include "simulation.h"

/* Under every strategy, and with hardly any memory. */
static void
check(struct planned *p, struct random *random)
{
    struct dtx_plan_options options = p->options;

    for (int s = 0; s < DTX_STRATEGY_COUNT; s++) {
        options.strategy = (enum dtx_strategy)s;
        options.memory_bytes = 1 << 20;
        planned_again(p, &options);
        so(p->status == DTX_OK);
        simulate(p);
        options.memory_bytes = 500 + random_below(random, 4000);
        planned_again(p, &options);
        if (p->status != DTX_ERR_LIMIT) {
            so(p->status == DTX_OK);
            simulate(p);
        }
    }
}

Test(plan, of_any_layouts_brings_every_element_where_it_belongs_once,
     .timeout = 300)
{
    each_random_plan(150, 12, 12, check);
}

Test(plan, for_many_processes_does_so_too, .timeout = 300)
{
    each_random_plan(40, 64, 64, check);
}
