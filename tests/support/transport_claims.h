/*
 * What every transport promises, as checks that run on all of its processes.
 *
 * Each is collective and returns NULL where the promise is kept on this
 * process, else what was wrong. Used on threads and under mpirun.
 */
#ifndef DTX_TESTS_TRANSPORT_CLAIMS_H
#define DTX_TESTS_TRANSPORT_CLAIMS_H

#include <stddef.h>

#include "transport/transport.h"

struct transport_claim {
    const char *name;
    const char *(*check)(struct dtx_transport *transport);
};

extern const struct transport_claim transport_claims[];
extern const int transport_claim_count;

/* One message from the first process to the last. Not in the table. */
const char *huge_message_arrives(struct dtx_transport *transport, size_t bytes);

#endif
