/*
 * The target's files: made, filled in part by others, put in place.
 */
#ifndef DTX_ENGINE_COMMIT_TARGET_H
#define DTX_ENGINE_COMMIT_TARGET_H

#include "engine/engine.h"

/* Refuses a manifest that stands where it isn't to be replaced. Local. */
enum dtx_status engine_check_manifest(const struct engine *e,
                                      struct dtx_error *err);

/* Each of these is collective and settled: all processes return alike. */

/* Refuses a target of whose files, under whatever name they stand on the way,
 * one is the source's: a file that data is read from, or its layout. */
enum dtx_status engine_spare_source(struct engine *e, struct dtx_error *err);

/* Refuses a target that exists, unless forced. */
enum dtx_status engine_check_target(struct engine *e, struct dtx_error *err);

/* Refuses a target for which the disk has no room, before any of it is
 * made. */
enum dtx_status engine_check_room(struct engine *e, struct dtx_error *err);

/* The same for what the files that were made have no room for yet: in memory
 * none is reserved. */
enum dtx_status engine_check_holes(struct engine *e, struct dtx_error *err);

/* Creates all files under their temporary names, or takes up those of the run
 * that is resumed. */
enum dtx_status engine_make_target(struct engine *e, struct dtx_error *err);

/* Closes the files, puts them in place, and writes the manifest last. Where an
 * earlier run had begun to, goes on with it. */
enum dtx_status engine_commit_target(struct engine *e, struct dtx_error *err);

/* Closes the files as they are, and removes the temporary ones that this
 * process made unless they are kept: in a hurry, as many as it can in a second
 * or two. False where some are left that are not kept. Local. */
bool engine_abandon_target(struct engine *e, bool is_kept, bool is_hurried);

#endif
