#include "crew.h"

#include <pthread.h>

#include "support/claim.h"
#include "transport/thread_transport.h"

struct thread {
    struct crew_member member;
    crew_work *work;
    pthread_t thread;
};

static void *
run(void *argument)
{
    struct thread *t = argument;

    t->work(&t->member);
    return NULL;
}

void
crew_run(int count, crew_work *work, void *context)
{
    struct dtx_thread_job *job = dtx_thread_job_create(count);
    struct thread threads[CREW_MOST];
    struct dtx_error err;

    for (int i = 0; i < count; i++) {
        threads[i] = (struct thread){
            .member = {.process = i, .context = context}, .work = work};
        claim(dtx_thread_transport_create(job, i, &threads[i].member.transport,
                                          &err) == DTX_OK);
    }
    for (int i = 0; i < count; i++) {
        claim(pthread_create(&threads[i].thread, NULL, run, &threads[i]) == 0);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i].thread, NULL);
        dtx_transport_destroy(threads[i].member.transport);
    }
    dtx_thread_job_destroy(job);
}
