#include "engine/failure.h"

#include "engine/engine.h"

void
engine_failure_init(struct engine *e)
{
    pthread_mutex_init(&e->failure.mutex, NULL);
}

void
engine_failure_finish(struct engine *e)
{
    pthread_mutex_destroy(&e->failure.mutex);
}

void
engine_failure_clear(struct engine *e)
{
    e->failure.status = DTX_OK;
    atomic_store(&e->failure.is_there, false);
}

void
engine_fail(struct engine *e, enum dtx_status status,
            const struct dtx_error *err)
{
    pthread_mutex_lock(&e->failure.mutex);
    if (e->failure.status == DTX_OK) {
        e->failure.status = status;
        e->failure.error = *err;
    }
    pthread_mutex_unlock(&e->failure.mutex);
    engine_poison(e);
}

void
engine_poison(struct engine *e)
{
    atomic_store(&e->failure.is_there, true);
}

bool
engine_has_failed(const struct engine *e)
{
    return atomic_load(&e->failure.is_there);
}
