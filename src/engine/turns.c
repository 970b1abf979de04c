#include "engine/turns.h"

#include "util/stop.h"

/* Pieces of each process between two agreements: a quarter of a gigabyte at
 * most, so that a signal or a failure is soon everyone's. */
enum { ROUND = 64 };

void
turns_begin(struct turns *turns, struct dtx_transport *transport,
            const struct dtx_readers *readers)
{
    int i;

    *turns = (struct turns){.transport = transport,
                            .reader_count = transport->process_count,
                            .own = transport->process};
    if (readers == NULL) {
        return;
    }
    turns->reader_count = readers->count;
    turns->own = -1;
    for (i = 0; i < readers->count; i++) {
        if (readers->processes[i] == transport->process) {
            turns->own = i;
        }
    }
}

enum dtx_status
turns_settle(struct turns *turns, struct dtx_error *err)
{
    if (turns->is_over) {
        return turns->status;
    }
    if (turns->status == DTX_OK && dtx_must_stop()) {
        turns->status = dtx_stop_check(err);
    }
    turns->status = dtx_transport_settle(turns->transport, turns->status, err);
    turns->is_over = turns->status != DTX_OK;
    return turns->status;
}

bool
turns_take(struct turns *turns, struct dtx_error *err)
{
    int64_t piece = turns->next++;

    if (piece % ((int64_t)turns->reader_count * ROUND) == 0) {
        (void)turns_settle(turns, err);
    }
    return turns->status == DTX_OK && piece % turns->reader_count == turns->own;
}

void
turns_fail(struct turns *turns, enum dtx_status status)
{
    turns->status = status;
}
