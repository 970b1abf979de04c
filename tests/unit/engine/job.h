/*
 * Jobs: simulated processes that reshard one checkpoint in memory.
 */
#ifndef TESTS_ENGINE_JOB_H
#define TESTS_ENGINE_JOB_H

#include <dtx/reshard.h>

#include "storage/memory/memory_storage.h"
#include "support/scene.h"

enum { JOB_PROCESSES_MOST = 8 };

/* Where shards live while they move. */
enum job_device {
    JOB_HOST,
    JOB_APART, /* the double: memory apart, messages through mirrors */
    JOB_OPEN,  /* the transport reads its memory */
    JOB_DEVICE_COUNT
};

/* What one process was told, and what came of it. */
struct job_member {
    struct job *job;
    int process;
    int64_t fail_read; /* its k-th read or write fails; 0: none */
    int64_t fail_write;
    int64_t damage_write; /* its k-th write stores a wrong bit; 0: none */
    int64_t damage_send;  /* its k-th message has a wrong bit; 0: none */
    bool has_damaged;     /* set: there was such a message */
    int64_t fail_device;  /* its k-th work of a device fails; 0: none */
    bool sends_nothing;   /* its messages are empty, without a failure */
    enum dtx_status status;
    struct dtx_error err;
    struct dtx_reshard_summary summary;
    struct dtx_plan_totals totals; /* of its plan */
};

struct job {
    const struct layout_case *text;
    struct scene scene;
    struct dtx_memory_files *files;
    struct dtx_plan_options options;
    struct dtx_reshard_options how;
    enum job_device device;
    int64_t alloc_fail_after; /* of one process alone; -1: never */
    struct job_member members[JOB_PROCESSES_MOST];
};

/* Parses the layouts and fills the source's files. */
void job_begin(struct job *job, const struct layout_case *text,
               const struct dtx_plan_options *options);
/* Runs all processes; each sets its member. */
void job_run(struct job *job);
void job_finish(struct job *job);

/* What this job is, for messages. Static text. */
const char *job_describe(const struct job *job);

/* Ends the test unless every shard of the target is as it must be. */
void job_check_target(const struct job *job);

/* Ends the test if anything of a target is there. */
void job_check_no_target(const struct job *job);

/* Ends the test unless a run that failed left nothing, or a journal with which
 * another number of processes goes on to the end. */
void job_check_failed(struct job *job);

#endif
