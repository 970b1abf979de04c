#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "job.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/error.h"

/* What a process leaves; in memory that all share. */
struct outcome {
    pid_t pid;
    bool is_done;
    enum dtx_status status;
    struct tally tally;
    struct dtx_error err;
};

struct board {
    atomic_int next; /* file */
    atomic_bool has_failed;
    struct outcome outcomes[];
};

struct job {
    int file_count;
    job_work work;
    const void *context;
    struct board *board;
};

static void
work_in_child(const struct job *job, struct outcome *outcome)
{
    struct board *board = job->board;

    while (!atomic_load(&board->has_failed)) {
        int file = atomic_fetch_add(&board->next, 1);

        if (file >= job->file_count) {
            break;
        }
        outcome->status =
            job->work(job->context, file, &outcome->tally, &outcome->err);
        if (outcome->status != DTX_OK) {
            atomic_store(&board->has_failed, true);
        }
    }
    fflush(stdout);
    outcome->is_done = true;
    _exit(0);
}

/* Starts one process. */
static enum dtx_status
start(const struct job *job, struct outcome *outcome, struct dtx_error *err)
{
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        work_in_child(job, outcome);
    }
    if (pid < 0) {
        return dtx_error_set(err, DTX_ERR_LIMIT, "cannot start a process: %s",
                             strerror(errno));
    }
    outcome->pid = pid;
    return DTX_OK;
}

static enum dtx_status
wait_for(const struct outcome *outcome, struct tally *tally,
         struct dtx_error *err)
{
    int how = 0;

    while (waitpid(outcome->pid, &how, 0) < 0 && errno == EINTR) {
    }
    tally->datasets += outcome->tally.datasets;
    tally->bytes += outcome->tally.bytes;
    tally->different += outcome->tally.different;
    if (WIFSIGNALED(how)) {
        return dtx_error_set(err, DTX_ERR_INTERNAL,
                             "process %ld was ended by signal %d",
                             (long)outcome->pid, WTERMSIG(how));
    }
    if (!outcome->is_done) {
        return dtx_error_set(err, DTX_ERR_INTERNAL,
                             "process %ld left with status %d",
                             (long)outcome->pid, WEXITSTATUS(how));
    }
    if (outcome->status != DTX_OK) {
        *err = outcome->err;
    }
    return outcome->status;
}

/* Starts all, waits for all that started; the first failure counts. */
static enum dtx_status
run_all(const struct job *job, int process_count, struct tally *tally,
        struct dtx_error *err)
{
    struct outcome *outcomes = job->board->outcomes;
    enum dtx_status status = DTX_OK;
    int started = 0;

    while (started < process_count && status == DTX_OK) {
        status = start(job, &outcomes[started], err);
        started += status == DTX_OK;
    }
    if (status != DTX_OK) {
        atomic_store(&job->board->has_failed, true);
    }
    for (int i = 0; i < started; i++) {
        struct dtx_error other;
        enum dtx_status end = wait_for(&outcomes[i], tally, &other);

        if (end != DTX_OK && status == DTX_OK) {
            status = end;
            *err = other;
        }
    }
    return status;
}

enum dtx_status
job_run(int process_count, int file_count, job_work work, const void *context,
        struct tally *tally_out, struct dtx_error *err)
{
    int processes = process_count < file_count ? process_count : file_count;
    size_t bytes =
        sizeof(struct board) + (size_t)processes * sizeof(struct outcome);
    struct board *board = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct job job = {file_count, work, context, board};
    enum dtx_status status;

    if (board == MAP_FAILED) {
        return dtx_error_memory(err);
    }
    *tally_out = (struct tally){0};
    status = run_all(&job, processes, tally_out, err);
    munmap(board, bytes);
    return status;
}
