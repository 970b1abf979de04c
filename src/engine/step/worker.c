#include "engine/step/worker.h"

#include <assert.h>
#include <signal.h>
#include <string.h>

#include "util/error.h"

/* Takes the next job; false when there is none and none will come. */
static bool
take_job(struct dtx_worker *worker, dtx_job **job_out, void **argument_out)
{
    bool taken;

    pthread_mutex_lock(&worker->mutex);
    while (worker->count == 0 && !worker->is_stopping) {
        pthread_cond_wait(&worker->changed, &worker->mutex);
    }
    taken = worker->count > 0;
    if (taken) {
        *job_out = worker->jobs[worker->first];
        *argument_out = worker->arguments[worker->first];
        worker->first = (worker->first + 1) % DTX_WORKER_QUEUE;
        worker->count--;
    }
    pthread_mutex_unlock(&worker->mutex);
    return taken;
}

static void *
run(void *argument)
{
    struct dtx_worker *worker = argument;
    dtx_job *job;
    void *job_argument;

    while (take_job(worker, &job, &job_argument)) {
        job(job_argument);
    }
    return NULL;
}

enum dtx_status
dtx_worker_start(struct dtx_worker *worker, struct dtx_error *err)
{
    sigset_t all, before;
    int failed;

    *worker = (struct dtx_worker){0};
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_cond_init(&worker->changed, NULL);
    /* Signals are for the thread that talks to the other processes. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    failed = pthread_create(&worker->thread, NULL, run, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        pthread_mutex_destroy(&worker->mutex);
        pthread_cond_destroy(&worker->changed);
        return dtx_error_set(err, DTX_ERR_LIMIT, "cannot start a thread: %s",
                             strerror(failed));
    }
    worker->is_running = true;
    return DTX_OK;
}

void
dtx_worker_submit(struct dtx_worker *worker, dtx_job *job, void *argument)
{
    int at;

    pthread_mutex_lock(&worker->mutex);
    assert(worker->count < DTX_WORKER_QUEUE);
    at = (worker->first + worker->count) % DTX_WORKER_QUEUE;
    worker->jobs[at] = job;
    worker->arguments[at] = argument;
    worker->count++;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
}

void
dtx_worker_stop(struct dtx_worker *worker)
{
    if (!worker->is_running) {
        return;
    }
    pthread_mutex_lock(&worker->mutex);
    worker->is_stopping = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    pthread_join(worker->thread, NULL);
    pthread_mutex_destroy(&worker->mutex);
    pthread_cond_destroy(&worker->changed);
    worker->is_running = false;
}
