/*
 * Settling: one outcome for all processes.
 */
#include <unistd.h>

#include "transport/transport.h"
#include "util/alloc.h"
#include "util/error.h"

enum dtx_status
dtx_transport_maximum(struct dtx_transport *transport, int64_t value,
                      int64_t *maximum_out, struct dtx_error *err)
{
    bool is_done = false;
    int idle = 0;
    enum dtx_status status = transport->ops->agree(transport, value, err);

    while (status == DTX_OK && !is_done) {
        status =
            transport->ops->test_agree(transport, &is_done, maximum_out, err);
        if (status == DTX_OK && !is_done) {
            transport->ops->pause(transport, idle++);
        }
    }
    return status;
}

void
dtx_transport_place(const struct dtx_transport *transport, const char *place,
                    struct dtx_error *err)
{
    char host[128] = "";

    (void)gethostname(host, sizeof(host) - 1);
    dtx_error_where(err, "process %d on %s%s%s", transport->process, host,
                    *place != '\0' ? ", " : "", place);
}

/* How many processes failed. Collective. */
static enum dtx_status
count_failures(struct dtx_transport *transport, enum dtx_status own,
               int *failure_count_out, struct dtx_error *err)
{
    char has_failed = own != DTX_OK;
    char *all = NULL; /* [process_count] */
    int failure_count = 0;
    enum dtx_status status =
        transport->ops->gather(transport, &has_failed, 1, NULL, &all, err);

    if (status != DTX_OK) {
        return status;
    }
    for (int p = 0; p < transport->process_count; p++) {
        failure_count += all[p];
    }
    dtx_free(all);
    *failure_count_out = failure_count;
    return DTX_OK;
}

/*
 * Says in err->where which process it was and how many others failed. What
 * befell all of them alike has no place, unless who failed gave one.
 */
static void
describe_place(const struct dtx_transport *transport, int failure_count,
               struct dtx_error *err)
{
    int others = failure_count - 1;

    if (failure_count == transport->process_count && err->where[0] == '\0') {
        return;
    }
    if (err->where[0] == '\0') {
        dtx_transport_place(transport, "", err);
    }
    if (others > 0) {
        dtx_error_where(err, "%s; %d other process%s failed alike", err->where,
                        others, others == 1 ? "" : "es");
    }
}

enum dtx_status
dtx_transport_settle(struct dtx_transport *transport, enum dtx_status status,
                     struct dtx_error *err)
{
    struct dtx_error first = {0};
    bool is_settled =
        status != DTX_OK && err->status == status && err->process >= 0;
    int64_t distance = 0; /* of the lowest failing process from the end */
    int lowest;
    int failure_count;
    enum dtx_status comm;

    if (status != DTX_OK) {
        first = *err;
        first.status = status;
        first.process = is_settled ? err->process : transport->process;
        distance = transport->process_count - transport->process;
    }
    comm = dtx_transport_maximum(transport, distance, &distance, err);
    if (comm != DTX_OK || distance == 0) {
        return comm;
    }
    lowest = transport->process_count - (int)distance;
    comm = count_failures(transport, status, &failure_count, err);
    if (comm != DTX_OK) {
        return comm;
    }
    if (transport->process == lowest && !is_settled) {
        describe_place(transport, failure_count, &first);
    }
    comm = transport->ops->broadcast(transport, lowest, &first, sizeof(first),
                                     err);
    if (comm != DTX_OK) {
        return comm;
    }
    *err = first;
    return first.status;
}
