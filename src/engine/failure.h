/*
 * Failures: how one is noted, and how the others see it.
 *
 * A process has a reader's, a writer's and the calling thread, and whatever
 * fails on any of them goes here: the first failure is kept, to be told, and
 * from then on all do no more than their peers wait for. A process can be
 * poisoned as well, by a peer that has failed: it has nothing to tell then.
 */
#ifndef DTX_ENGINE_FAILURE_H
#define DTX_ENGINE_FAILURE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <dtx/status.h>

struct engine;

struct engine_failure {
    pthread_mutex_t mutex;
    enum dtx_status status; /* the first failure of this process */
    struct dtx_error error;
    atomic_bool is_there; /* by itself, or poisoned by a peer */
};

void engine_failure_init(struct engine *e);
void engine_failure_finish(struct engine *e);

/* Forgets what there was, before the next run. */
void engine_failure_clear(struct engine *e);

/* Notes a failure, if it is the process's first. Any thread. */
void engine_fail(struct engine *e, enum dtx_status status,
                 const struct dtx_error *err);

/* Notes that a peer has failed, which says why. Any thread. */
void engine_poison(struct engine *e);

/* True once this process has failed or was poisoned. Any thread. */
bool engine_has_failed(const struct engine *e);

#endif
