#include <signal.h>
#include <string.h>

#include <dtx/stop.h>

#include "job.h"
#include "support/claim.h"
#include "util/alloc.h"

/* Every process got the same error, from the one that failed. */
static void
check_failure(struct job *job, int failing, enum dtx_status expected)
{
    for (int i = 0; i < job->options.process_count; i++) {
        const struct job_member *m = &job->members[i];
        char begin[32];

        snprintf(begin, sizeof begin, "process %d on ", failing);
        claim(m->status == expected, "process %d: status %d\n%s", i, m->status,
              job_describe(job));
        claim(m->err.status == expected);
        claim(m->err.process == failing, "%d", m->err.process);
        claim(strcmp(m->err.message, job->members[0].err.message) == 0);
        claim(m->err.message[0] != '\0' && m->err.where[0] != '\0');
        claim(m->err.tensor[0] != '\0');
        /* Which process, and on which host. */
        claim(strncmp(m->err.where, begin, strlen(begin)) == 0, "%s",
              m->err.where);
    }
    job_check_failed(job);
}

/* Makes each read, or each write, of one process fail in turn. */
static void
fail_each_call(const struct layout_case *text,
               const struct dtx_plan_options *options, int process,
               bool is_read)
{
    enum dtx_status status = DTX_ERR_INTERNAL;

    for (int64_t k = 1; status != DTX_OK; k++) {
        struct job job;

        job_begin(&job, text, options);
        job.how.checkpoint_seconds = k % 2 == 0 ? -1 : 0;
        *(is_read ? &job.members[process].fail_read
                  : &job.members[process].fail_write) = k;
        job_run(&job);
        status = job.members[0].status;
        if (status == DTX_OK) {
            job_check_target(&job);
        } else {
            check_failure(&job, process,
                          is_read ? DTX_ERR_SOURCE : DTX_ERR_TARGET);
        }
        job_finish(&job);
    }
}

Test(reshard, failing_anywhere_ends_all_processes_alike, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 15; i++) {
        struct dtx_plan_options options = {
            .strategy = DTX_STRATEGY_OPTIMAL +
                        (enum dtx_strategy)random_below(
                            &random, DTX_STRATEGY_COUNT - DTX_STRATEGY_OPTIMAL),
            .process_count = 1 + (int)random_below(&random, 4),
            .memory_bytes = i % 2 == 0 ? 1 << 20 : 16384,
            .map = i % 3 == 0 ? DTX_MAP_CYCLIC : DTX_MAP_BLOCK};
        struct layout_case text;

        layout_case_make(&random, 6, &text);
        for (int p = 0; p < options.process_count; p++) {
            fail_each_call(&text, &options, p, true);
            fail_each_call(&text, &options, p, false);
        }
        layout_case_finish(&text);
    }
}

/* Makes each piece of work that one process gives a device fail in turn. */
static void
fail_each_work(const struct layout_case *text,
               const struct dtx_plan_options *options, int process,
               enum job_device device)
{
    enum dtx_status status = DTX_ERR_INTERNAL;

    for (int64_t k = 1; status != DTX_OK; k += 1 + k / 8) {
        struct job job;

        job_begin(&job, text, options);
        job.device = device;
        job.members[process].fail_device = k;
        job_run(&job);
        status = job.members[0].status;
        for (int i = 0; i < options->process_count; i++) {
            const struct job_member *m = &job.members[i];

            claim(m->status == status &&
                      (status == DTX_OK || status == DTX_ERR_DEVICE),
                  "process %d: status %d\n%s", i, m->status,
                  job_describe(&job));
            claim(status == DTX_OK || m->err.process == process);
        }
        if (status == DTX_OK) {
            job_check_target(&job);
        } else {
            job_check_failed(&job);
        }
        job_finish(&job);
    }
}

Test(reshard, a_device_that_fails_ends_all_processes_alike, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 10; i++) {
        struct dtx_plan_options options = {
            .strategy = DTX_STRATEGY_OPTIMAL +
                        (enum dtx_strategy)random_below(
                            &random, DTX_STRATEGY_COUNT - DTX_STRATEGY_OPTIMAL),
            .process_count = 1 + (int)random_below(&random, 3),
            .memory_bytes = i % 2 == 0 ? 1 << 20 : 16384};
        struct layout_case text;

        layout_case_make(&random, 6, &text);
        for (int p = 0; p < options.process_count; p++) {
            fail_each_work(&text, &options, p, i % 2 ? JOB_APART : JOB_OPEN);
        }
        layout_case_finish(&text);
    }
}

/* A tensor on its way from rows to columns of four processes. */
static void
begin_transpose(struct layout_case *text, struct job *job)
{
    static const struct dtx_plan_options options = {.strategy =
                                                        DTX_STRATEGY_OPTIMAL,
                                                    .process_count = 4,
                                                    .memory_bytes = 1 << 20};

    *text = (struct layout_case){
        .tensor_count = 1,
        .tensors = {{"a", "a", 2, {8, 8}, DTX_FLOAT32, DTX_FLOAT32, false}}};
    dtx_text_add(&text->source, "mesh: {dp: 4}\n"
                                "checkpoint: {path: \"src/{rank}.h5\"}\n"
                                "tensors:\n"
                                "  - {name: a, placements: [S(0)]}\n");
    dtx_text_add(&text->target, "mesh: {tp: 4}\n"
                                "checkpoint: {path: \"dst/{rank}.h5\"}\n"
                                "tensors:\n"
                                "  - {name: a, placements: [S(1)]}\n");
    job_begin(job, text, &options);
}

/* Two processes that fail: all get the lowest one's error, unless the other
 * stopped it before it could. */
Test(reshard, failing_twice_ends_all_processes_alike, .timeout = 60)
{
    struct layout_case text;
    struct job job;

    begin_transpose(&text, &job);
    job.members[3].fail_read = 1;
    job.members[1].fail_read = 1;
    job_run(&job);
    claim(job.members[0].err.process == 1 || job.members[0].err.process == 3);
    check_failure(&job, job.members[0].err.process, DTX_ERR_SOURCE);
    job_finish(&job);
    layout_case_finish(&text);
}

static void
ask_to_stop(const char *remark, void *context)
{
    (void)remark;
    (void)context;
    dtx_stop_request(SIGTERM);
}

/* Comparing replicas can take longer than all that comes after it. */
Test(reshard, a_request_to_stop_is_heard_while_replicas_are_compared,
     .timeout = 60)
{
    static const struct dtx_plan_options options = {.strategy =
                                                        DTX_STRATEGY_OPTIMAL,
                                                    .process_count = 4,
                                                    .memory_bytes = 1 << 20};
    struct layout_case text = {
        .tensor_count = 1,
        .tensors = {{"a", "a", 2, {8, 8}, DTX_FLOAT32, DTX_FLOAT32, false}}};
    struct job job;

    dtx_text_add(&text.source, "mesh: {dp: 4}\n"
                               "checkpoint: {path: \"src/{rank}.h5\"}\n"
                               "tensors:\n  - {name: a}\n");
    dtx_text_add(&text.target, "mesh: {}\n"
                               "checkpoint: {path: dst/0.h5}\n"
                               "tensors:\n  - {name: a}\n");
    job_begin(&job, &text, &options);
    for (int i = 0; i < 4; i++) {
        job.members[i].fail_read = 1; /* nothing is read any more */
    }
    job.how.resume = true; /* for a remark once the target is claimed */
    job.how.remark = ask_to_stop;
    job_run(&job);
    dtx_stop_forget();
    for (int i = 0; i < 4; i++) {
        claim(job.members[i].status == DTX_ERR_INTERRUPTED, "%s",
              job.members[i].err.message);
    }
    job_finish(&job);
    layout_case_finish(&text);
}

/* A peer that sends too little without a word is no reason to believe that
 * all went well. */
Test(reshard, messages_that_come_short_fail_the_run, .timeout = 60)
{
    struct layout_case text;
    struct job job;

    begin_transpose(&text, &job);
    job.members[2].sends_nothing = true;
    job_run(&job);
    for (int i = 0; i < 4; i++) {
        claim(job.members[i].status == DTX_ERR_COMM, "%d: %s",
              job.members[i].status, job_describe(&job));
    }
    job_check_failed(&job);
    job_finish(&job);
    layout_case_finish(&text);
}

/* ---------------------------------------------------------------- memory */

/* Lets the k-th allocation and all after it fail, for each k. */
Test(reshard, without_memory_says_so_and_leaves_nothing_or_goes_on,
     .timeout = 300)
{
    struct random random = random_begin();
    enum dtx_status status;

    for (int i = 0; i < 4; i++) {
        struct dtx_plan_options options = {.strategy = DTX_STRATEGY_OPTIMAL,
                                           .process_count = 1,
                                           .memory_bytes = 1 << 20};
        struct layout_case text;
        int64_t k = 0;

        layout_case_make(&random, 6, &text);
        do {
            struct job job;

            job_begin(&job, &text, &options);
            job.how.checkpoint_seconds = k % 2 == 0 ? -1 : 0;
            job.device = i == 3 ? JOB_APART : JOB_HOST;
            job.alloc_fail_after = k++;
            job_run(&job);
            status = job.members[0].status;
            if (status != DTX_OK) {
                claim(status == DTX_ERR_LIMIT, "%lld: status %d\n%s",
                      (long long)k, status, job_describe(&job));
                job_check_failed(&job);
            }
            job_finish(&job);
        } while (status != DTX_OK);
        claim(k > 100);
        layout_case_finish(&text);
    }
}
