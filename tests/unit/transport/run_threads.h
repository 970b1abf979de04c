#ifndef DTX_TESTS_RUN_THREADS_H
#define DTX_TESTS_RUN_THREADS_H

#include <stdbool.h>

#include "support/transport_claims.h"

/* True where a claim holds on all threads that play a job of processes. */
bool holds_on_threads(const struct transport_claim *claim, int process_count);

#endif
