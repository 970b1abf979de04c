/*
 * The reading end of a step: regions of source datasets into messages.
 *
 * What goes whole into one message is read right into it. Else a region
 * passes through the reader's stage, chunk by chunk, and each chunk is
 * scattered into the messages that want a part of it. Digests are summed on
 * what came from storage, before anything else is done with it.
 */
#ifndef DTX_ENGINE_STEP_READ_H
#define DTX_ENGINE_STEP_READ_H

#include "engine/engine.h"

/* Reads and packs all of a slot's step; fails through engine_fail(). */
void engine_read_step(struct slot *slot);

#endif
