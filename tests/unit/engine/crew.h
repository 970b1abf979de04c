/*
 * Crews: simulated processes that do one thing together.
 */
#ifndef TESTS_ENGINE_CREW_H
#define TESTS_ENGINE_CREW_H

#include "transport/transport.h"

enum { CREW_MOST = 8 };

struct crew_member {
    int process;
    struct dtx_transport *transport;
    void *context;
};

typedef void crew_work(struct crew_member *member);

/* Lets count processes, each a thread, do the work, and waits for all. */
void crew_run(int count, crew_work *work, void *context);

#endif
