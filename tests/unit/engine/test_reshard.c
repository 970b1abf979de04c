#include <string.h>

#include "job.h"
#include "support/claim.h"

static struct dtx_plan_options
random_options(struct random *random)
{
    struct dtx_plan_options options = {
        .strategy = (enum dtx_strategy)random_below(random, DTX_STRATEGY_COUNT),
        .process_count = 1 + (int)random_below(random, JOB_PROCESSES_MOST),
        .memory_bytes = 1 << 20,
        .map = random_below(random, 2) == 0 ? DTX_MAP_BLOCK : DTX_MAP_CYCLIC};

    return options;
}

/* Every process got the same, and it is what the plan said. */
static void
check_members(const struct job *job)
{
    for (int i = 0; i < job->options.process_count; i++) {
        const struct job_member *m = &job->members[i];

        claim(m->status == DTX_OK, "%s", job_describe(job));
        claim(m->summary.read == m->totals.read, "%s", job_describe(job));
        claim(m->summary.kept == m->totals.kept, "%s", job_describe(job));
        claim(m->summary.moved == m->totals.moved, "%s", job_describe(job));
        claim(m->summary.written == m->totals.written, "%s", job_describe(job));
    }
}

static void
run_cases(int count, uint64_t memory_most, enum job_device device)
{
    struct random random = random_begin();

    for (int i = 0; i < count; i++) {
        struct dtx_plan_options options = random_options(&random);
        struct layout_case text;
        struct job job;

        layout_case_make(&random, 12, &text);
        if (memory_most > 0) {
            options.memory_bytes = 600 + random_below(&random, memory_most);
        }
        job_begin(&job, &text, &options);
        job.device = device;
        job_run(&job);
        if (job.members[0].status != DTX_ERR_LIMIT) {
            check_members(&job);
            job_check_target(&job);
        } else {
            job_check_no_target(&job);
        }
        job_finish(&job);
        layout_case_finish(&text);
    }
}

Test(reshard, of_any_layouts_gives_every_shard_its_values, .timeout = 300)
{
    run_cases(200, 0, JOB_HOST);
}

Test(reshard, in_little_memory_does_so_too, .timeout = 300)
{
    run_cases(200, 3000, JOB_HOST);
}

Test(reshard, on_a_device_with_memory_of_its_own_does_so_too, .timeout = 300)
{
    run_cases(100, 0, JOB_APART);
    run_cases(100, 3000, JOB_APART);
}

Test(reshard, with_messages_right_from_a_device_does_so_too, .timeout = 300)
{
    run_cases(50, 0, JOB_OPEN);
    run_cases(50, 3000, JOB_OPEN);
}
