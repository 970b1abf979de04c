#include "plan/step/rounds.h"
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

/* ---------------------------------------------------------------- steps */

/* The least run of all steps from one on. */
static int64_t
least_run_from(const struct dtx_schedule *s, int64_t step)
{
    int64_t least = s->run_count;
    struct dtx_step_walk walk;
    struct dtx_step_place place;

    for (; step < s->step_count; step++) {
        dtx_step_walk_begin(&walk, s, step);
        while (dtx_step_walk_next(&walk, &place)) {
            least = place.run < least ? place.run : least;
        }
    }
    return least;
}

/* The rounds of the tensors of which a run has units. */
static int
rounds_of(const struct dtx_plan *plan, int64_t run)
{
    struct dtx_step_start at = dtx_schedule_start(plan->schedule, run);
    struct dtx_step_start end = dtx_schedule_start(plan->schedule, run + 1);
    int most = 1;

    so(at.tensor < end.tensor ||
       (at.tensor == end.tensor && at.part < end.part));
    for (int i = at.tensor; i < end.tensor + (end.part > 0); i++) {
        int rounds =
            dtx_class_round_count(plan->classes[plan->tensors[i].class_index]);

        most = rounds > most ? rounds : most;
    }
    return most;
}

/* Where each run has got to. */
struct progress {
    int rounds;
    int64_t step; /* that did the last of them */
};

/* A run's next round; true where the step before did the one before it. */
static bool
do_round(struct progress *runs, const struct dtx_step_place *place,
         int64_t step)
{
    struct progress *run = &runs[place->run];
    bool follows = place->round > 0 && run->step == step - 1;

    so(place->round == run->rounds);
    so(place->round == 0 || run->step < step);
    *run = (struct progress){run->rounds + 1, step};
    return follows;
}

static void
check_steps(const struct dtx_plan *plan)
{
    const struct dtx_schedule *s = plan->schedule;
    struct progress *runs = calloc((size_t)s->run_count + 1, sizeof *runs);
    struct dtx_step_walk walk;
    struct dtx_step_place place;

    for (int64_t i = 0; i < s->step_count; i++) {
        bool follows = false;
        int count = 0;

        dtx_step_walk_begin(&walk, s, i);
        for (; dtx_step_walk_next(&walk, &place); count++) {
            follows |= do_round(runs, &place, i);
        }
        so(count > 0);
        so(dtx_step_follows(s, i) == follows);
        so(dtx_step_first_run(s, i) == least_run_from(s, i));
    }
    for (int64_t i = 0; i < s->run_count; i++) {
        so(runs[i].rounds == rounds_of(plan, i));
    }
    so(dtx_schedule_start(s, s->run_count).tensor == plan->tensor_count);
    free(runs);
}

static void
check_small_steps(struct planned *p, struct random *random)
{
    struct dtx_plan_options options = p->options;

    check_steps(p->plan);
    options.memory_bytes = 200 + random_below(random, 3000);
    planned_again(p, &options);
    if (p->status == DTX_OK && p->plan->schedule->step_count < 1000) {
        check_steps(p->plan);
    }
}

Test(schedule, does_each_round_of_each_run_once_after_the_one_before,
     .timeout = 300)
{
    each_random_plan(CASE_COUNT, 12, 12, check_small_steps);
}
