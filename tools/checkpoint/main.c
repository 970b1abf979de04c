/*
 * dtx-checkpoint: makes checkpoints whose every element is known, and checks
 * them in whatever layout they are.
 */
#include <stdio.h>
#include <time.h>

#include "check.h"
#include "checkpoint.h"
#include "copy.h"
#include "job.h"
#include "options.h"
#include "rules.h"
#include "util/size.h"
#include "write.h"

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void
summarize(const char *done, const struct checkpoint *checkpoint,
          const struct tally *tally, double seconds)
{
    char size[DTX_SIZE_TEXT];
    char rate[DTX_SIZE_TEXT];

    dtx_size_format((uint64_t)tally->bytes, size);
    dtx_size_format((uint64_t)((double)tally->bytes / seconds), rate);
    fprintf(stderr,
            "%s %d tensors, %lld datasets in %d files: %s in %.1f s, "
            "%s/s\n",
            done, checkpoint->tensor_count, (long long)tally->datasets,
            checkpoint->file_count, size, seconds, rate);
}

/* Writes or checks. */
static enum dtx_status
run_checkpoint(const struct options *options, struct dtx_error *err)
{
    bool is_write = options->verb == VERB_WRITE;
    double begin = now();
    struct checkpoint checkpoint;
    struct tally tally = {0};
    enum dtx_status status = checkpoint_open(options, &checkpoint, err);

    if (status == DTX_OK) {
        status = job_run(options->jobs, checkpoint.file_count,
                         is_write ? write_file : check_file, &checkpoint,
                         &tally, err);
    }
    if (status == DTX_OK) {
        summarize(is_write ? "wrote" : "checked", &checkpoint, &tally,
                  now() - begin);
    }
    if (status == DTX_OK && tally.different > 0) {
        fprintf(stderr, "dtx-checkpoint: %lld datasets differ\n",
                (long long)tally.different);
        status = DTX_ERR_DIFFERENT;
    }
    checkpoint_close(&checkpoint);
    return status;
}

static enum dtx_status
run(const struct options *options, struct dtx_error *err)
{
    switch (options->verb) {
    case VERB_WRITE:
    case VERB_CHECK:
        return run_checkpoint(options, err);
    case VERB_LAYOUT:
        return copy_layout(options, err);
    case VERB_RULES:
        return rules_print(options, err);
    case VERB_HELP:
        fputs(options_help, stdout);
        return DTX_OK;
    }
    return DTX_ERR_INTERNAL;
}

int
main(int argc, char **argv)
{
    struct options options;
    struct dtx_error err = {0};
    enum dtx_status status = options_parse(argc, argv, &options, &err);

    if (status == DTX_OK) {
        status = run(&options, &err);
    }
    if (err.message[0] != '\0') {
        fprintf(stderr, "dtx-checkpoint: error: %s\n", err.message);
    }
    if (err.hint[0] != '\0') {
        fprintf(stderr, "  hint     %s\n", err.hint);
    }
    if (status == DTX_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "dtx-checkpoint: error: cannot write the output\n");
        status = DTX_ERR_TARGET;
    }
    return (int)status;
}
