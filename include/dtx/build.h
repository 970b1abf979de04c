/*
 * Layouts made in code.
 *
 * A spec says what a layout file would; it becomes the text of one and is read
 * like it, so that both mean the same and mistakes are drawn in that text.
 */
#ifndef DTX_BUILD_H
#define DTX_BUILD_H

#include <stdint.h>

#include <dtx/diagnostic.h>
#include <dtx/dtype.h>
#include <dtx/layout.h>
#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dtx_mesh_axis {
    const char *name;
    int size; /* >= 1 */
};

/* What an axis does, in the words of layout files: "shard(0)", "S(-1)",
 * "partial(sum)", "{shard: 0, block: 64}", "_S(0, 2)". Axes that aren't named
 * replicate; those that shard one dim act in their order here. */
struct dtx_axis_placement {
    const char *axis;
    const char *placement;
};

/* The rule of all tensors whose names match a glob and no glob before it. */
struct dtx_rule_spec {
    const char *name;
    int placement_count;
    const struct dtx_axis_placement *placements;
    enum dtx_dtype dtype; /* of a target: converted to; DTX_RAW: as it comes */
};

struct dtx_rename_spec {
    const char *match; /* POSIX extended */
    const char *to;    /* with \1 … \9 */
};

struct dtx_layout_spec {
    int axis_count; /* 0: a mesh of one rank */
    const struct dtx_mesh_axis *axes;
    const int64_t *ranks; /* [product of sizes]; NULL: 0, 1, … */
    const char *split;    /* "chunk", "balanced", "pad", "even"; NULL: chunk */
    int rule_count;
    const struct dtx_rule_spec *rules;
    int rename_count; /* of a target */
    const struct dtx_rename_spec *renames;
};

/*
 * Makes a layout of shards in memory, as dtx_layout_parse() does with
 * DTX_MEMORY. Local.
 *
 * name        stands for a file in messages
 * list        receives all mistakes and warnings
 * layout_out  set on success only; owned by the caller
 *
 * Fails with DTX_ERR_INVALID when the list has errors, DTX_ERR_LIMIT when out
 * of memory.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_layout_build(const struct dtx_layout_spec *spec, const char *name,
                 struct dtx_diagnostics *list, struct dtx_layout **layout_out,
                 struct dtx_error *err);

/* The text of a layout, as a layout file has it. Borrowed until the layout is
 * destroyed. Local. */
DTX_API const char *dtx_layout_text(const struct dtx_layout *layout);

#ifdef __cplusplus
}
#endif
#endif
