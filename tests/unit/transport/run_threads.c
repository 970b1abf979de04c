/* Runs a function on every process of a simulated job. */
#include "run_threads.h"

#include <pthread.h>
#include <stdio.h>

#include "transport/thread_transport.h"

enum { PROCESS_MAX = 16 };

struct member {
    pthread_t thread;
    struct dtx_transport *transport;
    const struct transport_claim *claim;
    const char *wrong;
};

static void *
run_member(void *argument)
{
    struct member *member = argument;

    member->wrong = member->claim->check(member->transport);
    if (member->wrong != NULL) {
        fprintf(stderr, "%s: process %d: not so: %s\n", member->claim->name,
                member->transport->process, member->wrong);
    }
    return NULL;
}

bool
holds_on_threads(const struct transport_claim *claim, int process_count)
{
    struct dtx_thread_job *job = dtx_thread_job_create(process_count);
    struct member members[PROCESS_MAX];
    struct dtx_error err;
    bool holds = true;

    for (int p = 0; p < process_count; p++) {
        members[p].claim = claim;
        holds &= dtx_thread_transport_create(job, p, &members[p].transport,
                                             &err) == DTX_OK;
    }
    for (int p = 0; p < process_count; p++) {
        pthread_create(&members[p].thread, NULL, run_member, &members[p]);
    }
    for (int p = 0; p < process_count; p++) {
        pthread_join(members[p].thread, NULL);
        holds &= members[p].wrong == NULL;
        dtx_transport_destroy(members[p].transport);
    }
    dtx_thread_job_destroy(job);
    return holds;
}
