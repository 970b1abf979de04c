/*
 * What an interrupted run left of a target, where another starts over.
 *
 * A run that died between the first file that it put in place and the last
 * has left a target that is in part the old one's and in part its own. What
 * it hadn't put in place yet is whole, so that is done now: the target is one
 * checkpoint's again, until the new one takes its place. All else goes; but
 * first the journal says that nothing is safe any more.
 */
#ifndef DTX_ENGINE_COMMIT_LEFTOVERS_H
#define DTX_ENGINE_COMMIT_LEFTOVERS_H

#include "engine/engine.h"

/*
 * Clears it away, and empties the journal, which is open. By the leader.
 * Whatever ends this in between, it can be done again.
 *
 * journal  its path
 * content  its lines, as they were read
 */
enum dtx_status engine_clear_leftovers(struct engine *e, const char *journal,
                                       const char *content,
                                       struct dtx_error *err);

#endif
