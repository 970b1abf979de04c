/*
 * Workers: a thread that does jobs one after another.
 */
#ifndef DTX_ENGINE_STEP_WORKER_H
#define DTX_ENGINE_STEP_WORKER_H

#include <pthread.h>
#include <stdbool.h>

#include <dtx/status.h>

typedef void dtx_job(void *argument);

enum { DTX_WORKER_QUEUE = 4 };

struct dtx_worker {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_running, is_stopping;
    int first, count; /* of the queue */
    dtx_job *jobs[DTX_WORKER_QUEUE];
    void *arguments[DTX_WORKER_QUEUE];
};

enum dtx_status dtx_worker_start(struct dtx_worker *worker,
                                 struct dtx_error *err);

/* Queues a job. At most DTX_WORKER_QUEUE may be waiting. */
void dtx_worker_submit(struct dtx_worker *worker, dtx_job *job, void *argument);

/* Lets the queued jobs end, and the thread. A worker never started is fine. */
void dtx_worker_stop(struct dtx_worker *worker);

#endif
