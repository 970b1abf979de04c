#include <criterion/criterion.h>

#include "simulation.h"

enum { CASE_COUNT = 400 };

Test(plan, of_any_layouts_brings_every_element_where_it_belongs_once,
     .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < CASE_COUNT; i++) {
        struct dtx_plan_options options = random_options(&random, 12);
        struct layout_case text;
        struct planned p;

        layout_case_make(&random, 12, &text);
        planned_begin(&p, &text, &options);
        so(p.status == DTX_OK);
        simulate(&p);
        planned_finish(&p);
        layout_case_finish(&text);
    }
}
