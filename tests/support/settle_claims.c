#include "support/settle_claims.h"

#include <stdio.h>
#include <string.h>

#include "util/error.h"

const char *
settling_success_is_success(struct dtx_transport *t)
{
    struct dtx_error err = {.message = "untouched"};

    CHECK(dtx_transport_settle(t, DTX_OK, &err) == DTX_OK);
    CHECK(strcmp(err.message, "untouched") == 0);
    return NULL;
}

/* Settles with the processes of a mask failing; the lowest one is told. */
static const char *
settle_mask(struct dtx_transport *t, int mask)
{
    int lowest = __builtin_ctz((unsigned)mask);
    int others = __builtin_popcount((unsigned)mask) - 1;
    char message[64];
    char where[128];
    enum dtx_status status = DTX_OK;
    struct dtx_error err = {0};

    if (mask & (1 << t->process)) {
        status = dtx_error_set(&err, DTX_ERR_SOURCE, "process %d of mask %d",
                               t->process, mask);
        dtx_error_where(&err, "process %d", t->process);
        dtx_error_hint(&err, "hint %d", t->process);
    }
    CHECK(dtx_transport_settle(t, status, &err) == DTX_ERR_SOURCE);
    snprintf(message, sizeof message, "process %d of mask %d", lowest, mask);
    snprintf(where, sizeof where, "process %d; %d other process%s failed alike",
             lowest, others, others == 1 ? "" : "es");
    if (others == 0) {
        snprintf(where, sizeof where, "process %d", lowest);
    }
    CHECK(err.status == DTX_ERR_SOURCE && err.process == lowest);
    CHECK(strcmp(err.message, message) == 0);
    CHECK(strcmp(err.where, where) == 0);
    CHECK(err.hint[5] == '0' + lowest);
    /* Settled once more it stays as it is. */
    CHECK(dtx_transport_settle(t, err.status, &err) == DTX_ERR_SOURCE);
    CHECK(err.process == lowest && strcmp(err.where, where) == 0);
    return NULL;
}

const char *
settling_tells_the_lowest_failure(struct dtx_transport *t)
{
    const char *wrong = NULL;

    for (int mask = 1; mask < 1 << t->process_count && wrong == NULL; mask++) {
        wrong = settle_mask(t, mask);
    }
    return wrong;
}

const char *
settling_a_failure_of_all_has_no_place(struct dtx_transport *t)
{
    struct dtx_error err = {0};
    enum dtx_status status =
        dtx_error_set(&err, DTX_ERR_TARGET, "same everywhere");

    CHECK(dtx_transport_settle(t, status, &err) == DTX_ERR_TARGET);
    CHECK(strcmp(err.message, "same everywhere") == 0);
    CHECK(err.where[0] == '\0');
    if (t->process_count > 1) {
        status = t->process == 1
                     ? dtx_error_set(&err, DTX_ERR_LIMIT, "only here")
                     : DTX_OK;
        CHECK(dtx_transport_settle(t, status, &err) == DTX_ERR_LIMIT);
        CHECK(strncmp(err.where, "process 1 on ", 13) == 0);
    }
    return NULL;
}
