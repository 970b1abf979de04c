/*
 * Leftovers: files of a target that was replaced, which the new one hasn't.
 *
 * A target of fewer ranks, or under other names, leaves files of the old one
 * where they are. They were written by another run and may be wanted, so dtx
 * takes none away, but whoever reads all of the folder has to know.
 */
#ifndef DTX_CLI_LEFTOVERS_H
#define DTX_CLI_LEFTOVERS_H

#include <dtx/layout.h>

/* The target that stands where a new one is to be, as its manifest says; NULL
 * where there is none, or none that can be read. Owned by the caller. */
struct dtx_layout *leftovers_look(const struct dtx_layout *target);

/* Warns of ranks' files of the old target that aren't the new one's, now that
 * this has been put in place. old may be NULL. */
void leftovers_warn(const struct dtx_layout *old,
                    const struct dtx_layout *target);

#endif
