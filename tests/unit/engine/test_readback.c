#include <string.h>

#include "job.h"
#include "support/claim.h"

Test(readback, finds_what_the_storage_changed, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 100; i++) {
        struct dtx_plan_options options = {
            .strategy = DTX_STRATEGY_OPTIMAL,
            .process_count = 1 + (int)random_below(&random, 3),
            .memory_bytes = 1 << 20,
            .map = DTX_MAP_BLOCK};
        struct layout_case text;
        struct job job;

        layout_case_make(&random, 8, &text);
        job_begin(&job, &text, &options);
        job.how.verify = true;
        job.members[0].damage_write = 1 + (int64_t)random_below(&random, 4);
        job_run(&job);
        if (job.members[0].status == DTX_ERR_DIGEST) {
            claim(job.members[0].err.tensor[0] != '\0');
            job_check_no_target(&job);
        } else if (job.members[0].status == DTX_OK) {
            job_check_target(&job); /* it made fewer writes */
        }
        job_finish(&job);
        layout_case_finish(&text);
    }
}

/* Whichever copy of whichever element a message damages on its way. The terms
 * of a pending reduction have nothing to be held against. */
Test(digests, find_what_was_damaged_on_its_way, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 200; i++) {
        struct dtx_plan_options options = {
            .strategy =
                (enum dtx_strategy)random_below(&random, DTX_STRATEGY_COUNT),
            .process_count = 2 + (int)random_below(&random, 4),
            .memory_bytes = 1 << 20,
            .map = DTX_MAP_CYCLIC};
        struct layout_case text;
        struct job job;
        int process =
            (int)random_below(&random, (uint64_t)options.process_count);

        layout_case_make(&random, 8, &text);
        job_begin(&job, &text, &options);
        job.members[process].damage_send =
            1 + (int64_t)random_below(&random, 4);
        job_run(&job);
        if (job.members[0].status == DTX_OK &&
            strstr(text.source.data, "partial") == NULL) {
            /* Nothing was damaged, or nothing that anyone wanted. */
            job_check_target(&job);
            claim(!job.members[process].has_damaged ||
                      options.strategy == DTX_STRATEGY_MATERIALIZE ||
                      options.strategy == DTX_STRATEGY_AUTO,
                  "%s", job_describe(&job));
        } else if (strstr(text.source.data, "partial") == NULL) {
            for (int k = 0; k < options.process_count; k++) {
                claim(job.members[k].status == DTX_ERR_DIGEST, "status %d\n%s",
                      job.members[k].status, job_describe(&job));
                claim(job.members[k].err.tensor[0] != '\0');
            }
            job_check_no_target(&job);
        }
        job_finish(&job);
        layout_case_finish(&text);
    }
}
