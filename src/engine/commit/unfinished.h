/*
 * Unfinished targets: none is read as if it were complete.
 */
#ifndef DTX_ENGINE_COMMIT_UNFINISHED_H
#define DTX_ENGINE_COMMIT_UNFINISHED_H

#include <dtx/status.h>

struct dtx_layout;
struct dtx_storage;

/*
 * DTX_ERR_SOURCE where a file of the layout is one that a journal beside it
 * is of. Local.
 */
enum dtx_status engine_refuse_unfinished(const struct dtx_layout *layout,
                                         struct dtx_storage *storage,
                                         struct dtx_error *err);

#endif
