/*
 * A layout with one rule, made without a layout file.
 *
 * Axes are called a, b, c, …; the text has a line for the split rule and one
 * for each placement, so that marks point somewhere.
 */
#ifndef DTX_TESTS_LAYOUT_FIXTURE_H
#define DTX_TESTS_LAYOUT_FIXTURE_H

#include "layout/tiling.h"
#include "util/diagnostic.h"

struct fixture {
    struct dtx_layout layout;
    struct dtx_rule rule;
    struct dtx_placement placements[DTX_AXIS_MAX];
    struct dtx_extent pad[DTX_NDIM_MAX];
    struct dtx_arena arena;
    struct dtx_diagnostics *list;
};

void fixture_begin(struct fixture *f, int axis_count, const int *sizes);
void fixture_finish(struct fixture *f);

/* The next placement, a plain shard, to be refined by the caller. */
struct dtx_placement *fixture_shard(struct fixture *f, int axis, int dim);

/* Pads a dim to an extent, or to a multiple where that is not 0. */
void fixture_pad(struct fixture *f, int dim, int64_t extent, int64_t multiple);

/* The tiling of tensor "x", or NULL. */
struct dtx_tiling *fixture_tile(struct fixture *f, int ndim,
                                const int64_t *shape);

/* Tiles, expects a refusal with a code and words, and returns true for it. */
bool fixture_refuses(struct fixture *f, int ndim, const int64_t *shape,
                     const char *code, const char *words);

#endif
