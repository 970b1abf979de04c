/*
 * Sources that change while they are read.
 */
#ifndef DTX_ENGINE_COMMIT_SOURCES_H
#define DTX_ENGINE_COMMIT_SOURCES_H

#include "engine/engine.h"

/*
 * Looks whether all files of the source are what they were when they were
 * scanned, by size and time of the last change. Nothing of a run that read
 * others is of use to a later one. Collective; each process looks at a part.
 *
 * Fails with DTX_ERR_SOURCE.
 */
enum dtx_status engine_check_sources(struct engine *e, struct dtx_error *err);

#endif
