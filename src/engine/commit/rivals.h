/*
 * Rivals: other runs that write some of the same files.
 *
 * Two targets with the same journal are one, and its lock keeps runs apart.
 * Targets of other shapes can have files in common, too: one file of a folder
 * by itself, or one of its folders.
 */
#ifndef DTX_ENGINE_COMMIT_RIVALS_H
#define DTX_ENGINE_COMMIT_RIVALS_H

#include "engine/engine.h"

/*
 * Refuses a target of which another run's journal names a file, whether that
 * run is under way or was interrupted: both write under one temporary name.
 * This run's journal has begun, so that of two that begin at once one sees the
 * other's. Collective and settled.
 *
 * own  this run's journal
 */
enum dtx_status engine_refuse_rivals(struct engine *e, const char *own,
                                     struct dtx_error *err);

#endif
