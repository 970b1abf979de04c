/*
 * Exchanges: the messages of a step between all processes at once.
 *
 * Nothing can be poisoned in a collective exchange, so all agree before it
 * that nobody has failed.
 */
#ifndef DTX_ENGINE_STEP_EXCHANGE_H
#define DTX_ENGINE_STEP_EXCHANGE_H

#include "engine/engine.h"

/* Makes room for the counts, where the plan has a step that needs it. Local. */
enum dtx_status engine_prepare_exchange(struct engine *e,
                                        struct dtx_error *err);
void engine_finish_exchange(struct engine *e);

/* Starts the exchange of a slot's step, which has been read. No other is under
 * way. Collective; fails through engine_fail(). */
void engine_start_exchange(struct slot *slot);

/* Tests the exchange of a slot's step; true where it is done now. */
bool engine_test_exchange(struct slot *slot);

#endif
