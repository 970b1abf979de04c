/*
 * Target paths: the files of a target, and the positions in each.
 */
#ifndef DTX_PLAN_BIND_TARGET_PATHS_H
#define DTX_PLAN_BIND_TARGET_PATHS_H

#include "layout/layout.h"
#include "util/names.h"

struct dtx_target_paths {
    struct dtx_names paths; /* numbered by their lowest position */
    int *first;             /* [paths.count + 1] into positions */
    int *positions;         /* file by file, ascending within each */
};

/* `= {0}` before; -1 when out of memory, to be finished all the same. */
int dtx_target_paths_init(struct dtx_target_paths *paths,
                          const struct dtx_layout *layout);
void dtx_target_paths_finish(struct dtx_target_paths *paths);

/* The path of a position's dataset of a tensor in its file, in the arena; NULL
 * when out of memory. */
const char *dtx_target_dataset_path(const struct dtx_layout *layout,
                                    const char *name, int position,
                                    struct dtx_arena *arena);

#endif
