/*
 * Neutral elements: what a target's pending product leaves at the coordinates
 * that don't have the value. (A pending sum leaves zeros, and a new dataset
 * has those already.)
 */
#ifndef DTX_ENGINE_STEP_NEUTRAL_H
#define DTX_ENGINE_STEP_NEUTRAL_H

#include "engine/engine.h"

/* Writes ones where this process hosts such coordinates. Local; after
 * engine_prepare(), before engine_run(). */
enum dtx_status engine_write_neutral(struct engine *e, struct dtx_error *err);

/* Fills the writer's stage with ones; returns how many fit. */
int64_t engine_fill_ones(struct engine *e, enum dtx_dtype dtype);

#endif
