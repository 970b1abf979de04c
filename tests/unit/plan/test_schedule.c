#include "simulation.h"

enum { CASE_COUNT = 300 };

/* The budget that a refusal names. */
static uint64_t
named_least(const struct dtx_error *err)
{
    static const char words[] = "the least that would do is ";
    const char *at = strstr(err->message, words);

    claim(at != NULL, "%s", err->message);
    return strtoull(at + sizeof words - 1, NULL, 10);
}

static void
run_case(struct random *random, uint64_t memory, int processes_most)
{
    struct dtx_plan_options options = random_options(random, processes_most);
    struct layout_case text;
    struct planned p;

    options.memory_bytes = memory;
    layout_case_make(random, 12, &text);
    planned_begin(&p, &text, &options);
    if (p.status != DTX_OK) {
        so(p.status == DTX_ERR_LIMIT);
        options.memory_bytes = named_least(&p.err);
        so(options.memory_bytes > memory);
        planned_again(&p, &options);
    }
    so(p.status == DTX_OK);
    simulate(&p);
    planned_finish(&p);
    layout_case_finish(&text);
}

Test(schedule, with_the_least_memory_takes_small_steps_that_bring_everything,
     .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < CASE_COUNT; i++) {
        run_case(&random, 1, 8);
    }
}

Test(schedule, keeps_every_process_within_any_budget, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < CASE_COUNT; i++) {
        run_case(&random, 8 + random_below(&random, 3000), 12);
    }
}
