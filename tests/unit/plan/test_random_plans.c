#include "simulation.h"

static void
check(struct planned *p, struct random *random)
{
    (void)random;
    simulate(p);
}

Test(plan, of_any_layouts_brings_every_element_where_it_belongs_once,
     .timeout = 300)
{
    each_random_plan(400, 12, 12, check);
}

Test(plan, for_many_processes_does_so_too, .timeout = 300)
{
    each_random_plan(100, 64, 64, check);
}
