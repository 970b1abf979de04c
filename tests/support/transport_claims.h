/*
 * What every transport promises, as checks that run on all of its processes.
 *
 * Each is collective and returns NULL where the promise is kept on this
 * process, else what was wrong. Used on threads and under mpirun.
 */
#ifndef DTX_TESTS_TRANSPORT_CLAIMS_H
#define DTX_TESTS_TRANSPORT_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

const char *messages_arrive_whole_and_in_order(struct dtx_transport *transport,
                                               uint64_t seed);
const char *shorter_messages_say_their_length(struct dtx_transport *transport);
const char *longer_messages_are_refused(struct dtx_transport *transport);
const char *finished_requests_are_reused(struct dtx_transport *transport);
const char *agreement_is_the_maximum(struct dtx_transport *transport);
const char *agreement_lets_messages_pass(struct dtx_transport *transport);
const char *broadcast_reaches_all(struct dtx_transport *transport);
const char *gather_keeps_process_order(struct dtx_transport *transport);
const char *settling_success_is_success(struct dtx_transport *transport);
const char *settling_tells_the_lowest_failure(struct dtx_transport *transport);
const char *
settling_a_failure_of_all_has_no_place(struct dtx_transport *transport);

/* One message from the first process to the last. Not among all_claims. */
const char *huge_message_arrives(struct dtx_transport *transport, size_t bytes);

/* All of the above without arguments, by name. */
struct transport_claim {
    const char *name;
    const char *(*check)(struct dtx_transport *transport);
};

extern const struct transport_claim transport_claims[];
extern const int transport_claim_count;

#endif
