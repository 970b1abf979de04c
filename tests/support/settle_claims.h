/*
 * What settling promises on any transport; a part of transport_claims.h.
 */
#ifndef DTX_TESTS_SETTLE_CLAIMS_H
#define DTX_TESTS_SETTLE_CLAIMS_H

#include "transport/transport.h"

/* Ends a check with what doesn't hold. */
#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            return #condition;                                                 \
        }                                                                      \
    } while (0)

const char *settling_success_is_success(struct dtx_transport *t);
const char *settling_tells_the_lowest_failure(struct dtx_transport *t);
const char *settling_a_failure_of_all_has_no_place(struct dtx_transport *t);

#endif
