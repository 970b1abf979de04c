/*
 * Leftovers: files of a target that was replaced, which the new one hasn't.
 *
 * A target of fewer ranks, or under other names, leaves files of the old one
 * where they are. They were written by another run and may be wanted, so dtx
 * takes none away, but whoever reads all of the folder has to know.
 *
 * The old target is what the manifests there say: the one that the new target
 * replaces with its own, and others that list one of its files. These others
 * are leftovers, too: they vouch for what is no longer there. A target beside
 * the new one with which it shares no file is not replaced, and stays whole.
 */
#ifndef DTX_CLI_LEFTOVERS_H
#define DTX_CLI_LEFTOVERS_H

#include <stddef.h>

#include <dtx/layout.h>

#include "util/names.h"

/* The manifests that stood where a target is to be. `= {0}` is none. */
struct leftovers {
    char *own;              /* path of the target's own manifest */
    struct dtx_names tried; /* paths of manifests */
    struct dtx_layout **old;
    size_t old_count, capacity;
};

/* Loads the manifests that are there before a target is written. Those that
 * can't be read are left out. */
void leftovers_look(struct leftovers *leftovers,
                    const struct dtx_layout *target);

/* Warns of files of the old targets that aren't the new one's, now that this
 * has been put in place. */
void leftovers_warn(const struct leftovers *leftovers);

void leftovers_finish(struct leftovers *leftovers);

#endif
