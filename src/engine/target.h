/*
 * The target's files: made, filled in part by others, put in place.
 */
#ifndef DTX_ENGINE_TARGET_H
#define DTX_ENGINE_TARGET_H

#include "engine/engine.h"

/* Each of these is collective and settled: all processes return alike. */

/* Refuses a target that exists (unless forced) or that is the source. */
enum dtx_status engine_check_target(struct engine *e, struct dtx_error *err);

/* Creates all files under their temporary names. */
enum dtx_status engine_create_target(struct engine *e, struct dtx_error *err);

/* Closes the files, puts them in place, and writes the manifest last. */
enum dtx_status engine_commit_target(struct engine *e, struct dtx_error *err);

/* Removes the files that this process made, those included that are in place
 * already: without the others they are no target. Local. */
void engine_remove_target(struct engine *e);

#endif
