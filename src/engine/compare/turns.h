/*
 * Turns: work in pieces that are dealt out to processes.
 *
 * All processes go through the same pieces in the same order, and each does
 * those that are its turn. Now and then they agree on whether anyone has
 * failed or was asked to stop; who has does nothing any more until then, and
 * all leave at the same piece.
 */
#ifndef DTX_ENGINE_COMPARE_TURNS_H
#define DTX_ENGINE_COMPARE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/catalog.h>
#include <dtx/progress.h>

#include "engine/clock.h"
#include "transport/transport.h"

/* How far work has come, through several turns. */
struct turns_progress {
    dtx_progress_visit *visit; /* may be NULL */
    void *context;
    uint64_t total, done; /* bytes */
    struct engine_beat beat;
};

struct turns {
    struct dtx_transport *transport;
    struct turns_progress *progress; /* NULL: none is shown */
    uint64_t round_bytes;            /* since all have last agreed */
    int round_pieces;
    int reader_count;
    int own; /* -1: this process does nothing */
    int64_t next;
    enum dtx_status status; /* of this process, or of all once it is over */
    bool is_over;           /* all have agreed on a failure */
};

/* Begins to show progress. total  bytes of all pieces of all turns */
void turns_progress_begin(struct turns_progress *progress, uint64_t total,
                          dtx_progress_visit *visit, void *context);

/*
 * readers   who takes part; NULL: all processes
 * progress  borrowed; may be NULL
 */
void turns_begin(struct turns *turns, struct dtx_transport *transport,
                 const struct dtx_readers *readers,
                 struct turns_progress *progress);

/* Goes to the next piece, of so many bytes; true where this process is to do
 * it. Collective from time to time. After it the caller leaves where is_over
 * is set. */
bool turns_take(struct turns *turns, uint64_t bytes, struct dtx_error *err);

/* Notes that this process failed at a piece. */
void turns_fail(struct turns *turns, enum dtx_status status);

/* Agrees on the outcome of all pieces so far; the same on all processes.
 * Collective, unless it is over. */
enum dtx_status turns_settle(struct turns *turns, struct dtx_error *err);

#endif
