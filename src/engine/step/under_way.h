/*
 * What is under way: the steps in the slots, and the agreement on what comes
 * after them. All of it moves on whenever the calling thread waits for some.
 */
#ifndef DTX_ENGINE_STEP_UNDER_WAY_H
#define DTX_ENGINE_STEP_UNDER_WAY_H

#include "engine/engine.h"

/* What all processes do next; of their wishes the last counts. */
enum verdict { GO_ON, CHECKPOINT, STOP, FAIL };

static inline bool
slot_is_free(const struct slot *slot)
{
    return !slot->is_used;
}

static inline bool
slot_has_read(const struct slot *slot)
{
    return atomic_load(&slot->is_read);
}

static inline bool
slot_has_sent(const struct slot *slot)
{
    return !slot->is_used || slot->sends_left == 0;
}

/* Waits until a condition on a slot holds, moving all on. */
void engine_wait_for(struct engine *e, const struct slot *slot,
                     bool (*holds)(const struct slot *));

/* Starts to agree with all others on what comes next; one at a time. Fails
 * through engine_fail(). Collective. */
void engine_start_agreement(struct engine *e, enum verdict own);

/* Waits for it. */
enum verdict engine_finish_agreement(struct engine *e);

#endif
