/*
 * Turns: work in pieces that are dealt out to processes.
 *
 * All processes go through the same pieces in the same order, and each does
 * those that are its turn. Now and then they agree on whether anyone has
 * failed or was asked to stop; who has does nothing any more until then, and
 * all leave at the same piece.
 */
#ifndef DTX_ENGINE_TURNS_H
#define DTX_ENGINE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/catalog.h>

#include "transport/transport.h"

struct turns {
    struct dtx_transport *transport;
    int reader_count;
    int own; /* -1: this process does nothing */
    int64_t next;
    enum dtx_status status; /* of this process, or of all once it is over */
    bool is_over;           /* all have agreed on a failure */
};

/* readers  who takes part; NULL: all processes */
void turns_begin(struct turns *turns, struct dtx_transport *transport,
                 const struct dtx_readers *readers);

/* Goes to the next piece; true where this process is to do it. Collective
 * from time to time. After it the caller leaves where is_over is set. */
bool turns_take(struct turns *turns, struct dtx_error *err);

/* Notes that this process failed at a piece. */
void turns_fail(struct turns *turns, enum dtx_status status);

/* Agrees on the outcome of all pieces so far; the same on all processes.
 * Collective, unless it is over. */
enum dtx_status turns_settle(struct turns *turns, struct dtx_error *err);

#endif
