#include "engine/compare/turns.h"

#include "storage/stop.h"

/* Between two agreements, of each process: soon enough for a signal or a
 * failure to be everyone's. */
enum { ROUND_PIECES = 64, ROUND_BYTES = 1 << 26 };

void
turns_progress_begin(struct turns_progress *progress, uint64_t total,
                     dtx_progress_visit *visit, void *context)
{
    *progress = (struct turns_progress){.visit = visit,
                                        .context = context,
                                        .total = total,
                                        .beat = engine_beat_begin()};
}

/* All before this piece are done, or soon will be. */
static void
show(const struct turns *turns, uint64_t bytes)
{
    struct turns_progress *p = turns->progress;
    struct dtx_progress progress;

    if (p == NULL) {
        return;
    }
    progress =
        (struct dtx_progress){.bytes_done = p->done, .bytes_total = p->total};
    p->done += bytes;
    if (p->visit != NULL && turns->transport->process == 0 &&
        engine_beat_is_due(&p->beat, &progress.seconds)) {
        p->visit(&progress, p->context);
    }
}

void
turns_begin(struct turns *turns, struct dtx_transport *transport,
            const struct dtx_readers *readers, struct turns_progress *progress)
{
    int i;

    *turns = (struct turns){.transport = transport,
                            .progress = progress,
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
turns_take(struct turns *turns, uint64_t bytes, struct dtx_error *err)
{
    int64_t piece = turns->next++;

    if (piece == 0 ||
        turns->round_pieces >= turns->reader_count * ROUND_PIECES ||
        turns->round_bytes >= (uint64_t)turns->reader_count * ROUND_BYTES) {
        (void)turns_settle(turns, err);
        turns->round_pieces = 0;
        turns->round_bytes = 0;
    }
    turns->round_pieces++;
    turns->round_bytes += bytes;
    show(turns, bytes);
    return turns->status == DTX_OK && !dtx_must_stop() &&
           piece % turns->reader_count == turns->own;
}

void
turns_fail(struct turns *turns, enum dtx_status status)
{
    turns->status = status;
}
