/*
 * Work on many files by several processes of this machine.
 *
 * Each process takes the next file that nobody has taken. The first failure
 * ends the work of all.
 */
#ifndef CHECKPOINT_JOB_H
#define CHECKPOINT_JOB_H

#include <stdint.h>

#include <dtx/status.h>

/* What has been done. */
struct tally {
    int64_t datasets;
    int64_t bytes;
    int64_t different; /* datasets that are not as they should be */
};

/* Works on one file, in a forked process, and adds to the tally. */
typedef enum dtx_status (*job_work)(const void *context, int file,
                                    struct tally *tally, struct dtx_error *err);

/* Runs the work on files 0 … file_count - 1; tally_out gets the sums. */
enum dtx_status job_run(int process_count, int file_count, job_work work,
                        const void *context, struct tally *tally_out,
                        struct dtx_error *err);

#endif
