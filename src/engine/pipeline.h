/*
 * The pipeline: steps through slots, two at a time, from files to files.
 */
#ifndef DTX_ENGINE_PIPELINE_H
#define DTX_ENGINE_PIPELINE_H

#include "engine/engine.h"

/*
 * Makes all that running takes, so that nothing is missing in the middle:
 * buffers, threads, the first step. Local.
 */
enum dtx_status engine_prepare(struct engine *e, struct dtx_error *err);

/*
 * Runs all steps, after all processes have prepared. Collective; the outcome
 * is in e->failure, to be settled by the caller. Returns after every message
 * is done.
 */
void engine_run(struct engine *e);

/* Frees what engine_prepare() made, also where it failed. */
void engine_finish(struct engine *e);

#endif
