/*
 * Layouts: a mesh, where a checkpoint stands, and a rule for each tensor.
 *
 * Immutable once loaded; dtx-layout(5) describes the file.
 *
 * Functions are local unless they say that they are collective. What they
 * return of a layout is borrowed until it is destroyed, positions are 0 <=
 * position < dtx_layout_rank_count(). dtx_layout_destroy() takes NULL.
 */
#ifndef DTX_LAYOUT_H
#define DTX_LAYOUT_H

#include <stdint.h>

#include <dtx/diagnostic.h>
#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dtx_layout;

/* What a layout is used for. A layout of shards in memory needs no
 * `checkpoint`, serves as either end, and says nothing of files. One that is
 * compared is read as a source, and its renames count. */
enum dtx_role { DTX_SOURCE, DTX_TARGET, DTX_MEMORY, DTX_COMPARED };

/*
 * Loads a layout file. Local.
 *
 * path        the file, a folder that dtx wrote, or its manifest
 * role        what it is used for: some keys stand on one side only
 * list        receives all mistakes and warnings
 * layout_out  set on success only; owned by the caller
 *
 * Fails with DTX_ERR_INVALID when the list has errors, DTX_ERR_SOURCE when the
 * file can't be read, DTX_ERR_LIMIT when out of memory.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_layout_load(const char *path, enum dtx_role role,
                struct dtx_diagnostics *list, struct dtx_layout **layout_out,
                struct dtx_error *err);

/* The same from text; file names it in messages, folder is what its paths are
 * relative to. */
DTX_API DTX_NODISCARD enum dtx_status
dtx_layout_parse(const char *text, const char *file, const char *folder,
                 enum dtx_role role, struct dtx_diagnostics *list,
                 struct dtx_layout **layout_out, struct dtx_error *err);

DTX_API void dtx_layout_destroy(struct dtx_layout *layout);

DTX_API int dtx_layout_axis_count(const struct dtx_layout *layout);
DTX_API const char *dtx_layout_axis_name(const struct dtx_layout *layout,
                                         int axis);
DTX_API int dtx_layout_axis_size(const struct dtx_layout *layout, int axis);
DTX_API int dtx_layout_rank_count(const struct dtx_layout *layout);
/* The rank at a position of the mesh. */
DTX_API int64_t dtx_layout_rank(const struct dtx_layout *layout, int position);
/* The path template as written. */
DTX_API const char *dtx_layout_path(const struct dtx_layout *layout);
/* The path of the file of the rank at a position, from the folder that the
 * process runs in. Owned by the caller, to be freed with dtx_string_free();
 * NULL when out of memory. */
DTX_API DTX_NODISCARD char *
dtx_layout_rank_path(const struct dtx_layout *layout, int position);
/* The file it was loaded from, as the user named it. */
DTX_API const char *dtx_layout_file_name(const struct dtx_layout *layout);

/* A number >= 0 that is the same for layouts of the same text, and hardly ever
 * for others. */
DTX_API int64_t dtx_layout_fingerprint(const struct dtx_layout *layout);

#ifdef __cplusplus
}
#endif
#endif
