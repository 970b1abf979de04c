/*
 * Messages of a step between two processes each, in a slot's buffer. Only the
 * calling thread uses these.
 */
#ifndef DTX_ENGINE_STEP_MESSAGES_H
#define DTX_ENGINE_STEP_MESSAGES_H

#include "engine/engine.h"

/* Gives each message of a slot's step its place in the buffer. Fails with
 * DTX_ERR_INTERNAL where it is too small: the plan is wrong. */
enum dtx_status engine_lay_out(struct slot *slot, struct dtx_error *err);

/* Sets where each message of a laid out slot stands: in its buffer. */
void engine_set_places(struct slot *slot);

/* DTX_ERR_INTERNAL where what a process sends itself isn't what it gets. */
enum dtx_status engine_check_self(const struct dtx_step *step,
                                  struct dtx_error *err);

/* Both fail through engine_fail(). Messages are sent empty where this process
 * has failed. */
void engine_post_receives(struct slot *slot);
void engine_post_sends(struct slot *slot);

/* Tests what is under way; true where something is done now. */
bool engine_test_messages(struct slot *slot);

#endif
