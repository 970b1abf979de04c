/*
 * Reading back: the target's files, complete under their temporary names, are
 * read again before they take their places.
 */
#ifndef DTX_ENGINE_COMMIT_READBACK_H
#define DTX_ENGINE_COMMIT_READBACK_H

#include "engine/engine.h"

/*
 * Reads every copy of all tensors, past the system's cache where it can be
 * emptied, and compares digests with what was to be written. Collective and
 * settled; the files are closed, and the digests settled.
 *
 * Fails with DTX_ERR_DIGEST where anything differs or can't be read.
 */
enum dtx_status engine_read_back(struct engine *e, struct dtx_error *err);

#endif
