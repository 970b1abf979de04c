/*
 * The writing end of a step: messages into regions of target datasets.
 *
 * What came whole from one message is written right from it. Else a region
 * is put together in the writer's stage, chunk by chunk, so that what is
 * narrow in the messages is written in long runs. Digests are summed on what
 * goes to storage, after all else has been done with it.
 */
#ifndef DTX_ENGINE_STEP_WRITE_H
#define DTX_ENGINE_STEP_WRITE_H

#include "engine/engine.h"

/* Unpacks and writes all of a slot's step; fails through engine_fail(). */
void engine_write_step(struct slot *slot);

#endif
