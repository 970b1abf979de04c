/*
 * Checkpoints of a run: from time to time what was written is made durable,
 * and the journal says how far.
 *
 * Tensors are done in the plan's order, so one number says it, whatever the
 * processes and the steps. It must not take long, so that a request to stop
 * is heard in time: a slow disk is synced more often.
 */
#ifndef DTX_ENGINE_COMMIT_CHECKPOINT_H
#define DTX_ENGINE_COMMIT_CHECKPOINT_H

#include "engine/engine.h"

/* Begins to count from what is safe. */
void engine_begin_checkpoints(struct engine *e);

/* True where this process would like one with the first so many tensors. */
bool engine_wants_checkpoint(const struct engine *e, int tensors);

/*
 * Makes the first so many tensors safe, which all processes have written.
 * Collective. False where a process has failed, with its failure noted.
 */
bool engine_checkpoint(struct engine *e, int tensors);

/* Says in the journal that all is safe and files are being put in place, once
 * the digests are settled. Collective and settled. */
enum dtx_status engine_note_committing(struct engine *e, struct dtx_error *err);

/* Takes over the digests' sums of what is safe. Local. */
void engine_load_sums(struct engine *e);

#endif
