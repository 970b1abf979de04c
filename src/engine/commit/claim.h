/*
 * Claiming the target: one run writes it at a time, goes on with what an
 * earlier one left or clears that away, and says so in the journal.
 */
#ifndef DTX_ENGINE_COMMIT_CLAIM_H
#define DTX_ENGINE_COMMIT_CLAIM_H

#include "engine/engine.h"

/*
 * Claims the target, and sets e->safety. Collective and settled. Where it
 * fails nothing is claimed.
 *
 * Fails where another run has it, where it exists and isn't to be replaced,
 * and where the run that is to go on was another.
 */
enum dtx_status engine_claim_target(struct engine *e, struct dtx_error *err);

/*
 * Ends the claim with the run's status, which it returns. Collective.
 *
 * After a success the journal goes; where it can't, that is the status. After a
 * failure the temporary files and the journal stay where a later run can go on,
 * and err says how; else they go, too.
 */
enum dtx_status engine_release_target(struct engine *e, enum dtx_status status,
                                      struct dtx_error *err);

#endif
