/*
 * Proposals: layout files made from what is there.
 *
 * A proposal is the text of a layout file, with comments. Where what is there
 * doesn't tell something, the most usual is taken, and a comment says so.
 */
#ifndef DTX_PROPOSE_H
#define DTX_PROPOSE_H

#include <stdbool.h>

#include <dtx/catalog.h>
#include <dtx/layout.h>
#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh as a user gives it. */
struct dtx_proposed_mesh {
    int axis_count; /* 0 with is_given: one rank */
    const char *const *names;
    const int *sizes; /* each >= 1 */
    bool is_given;    /* false: found out, or as in the other layout */
};

/*
 * Proposes where a checkpoint's files stand, from their names alone: the
 * fields in them, a mesh of the axes that they name or of plain ranks, and one
 * rule for all. Local.
 *
 * paths     [path_count] in any order; as they are to stand in the layout
 * text_out  a layout file, set on success only; owned by the caller, to be
 *           freed with dtx_string_free()
 *
 * Fails with DTX_ERR_SOURCE where the names follow no single pattern or a file
 * of the mesh isn't there, and with DTX_ERR_LIMIT when out of memory.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_propose_files(const char *const *paths, int path_count, char **text_out,
                  struct dtx_error *err);

/*
 * Proposes a layout for files that are there: the mesh, a placement of each
 * tensor, who holds which numbered names. Reads samples of the data, to tell
 * replicas from shards of equal shape. Local.
 *
 * files    a layout from dtx_propose_files()
 * catalog  of these files
 * table    shapes of whole tensors, which tell more; may be NULL
 * mesh     may say what the ranks are; as many positions as `files` has
 * text_out as above
 *
 * Fails with DTX_ERR_INVALID where the mesh doesn't fit the files, and with
 * DTX_ERR_SOURCE where a file can't be read.
 */
DTX_API DTX_NODISCARD enum dtx_status dtx_propose_layout(
    const struct dtx_layout *files, const struct dtx_catalog *catalog,
    const struct dtx_catalog *table, const struct dtx_proposed_mesh *mesh,
    char **text_out, struct dtx_error *err);

/*
 * Proposes a layout for another mesh, from the rules of a layout. Local.
 *
 * catalog  of its tensors, which tells more than its rules; may be NULL
 * list     receives mistakes where layout and catalog don't fit
 * path     the template of the files; NULL: one that is usual
 * text_out as above
 */
DTX_API DTX_NODISCARD enum dtx_status dtx_propose_like(
    const struct dtx_layout *layout, const struct dtx_catalog *catalog,
    const struct dtx_proposed_mesh *mesh, const char *path,
    struct dtx_diagnostics *list, char **text_out, struct dtx_error *err);

#ifdef __cplusplus
}
#endif
#endif
