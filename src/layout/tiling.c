#include "layout/tiling.h"

#include <string.h>

#include "layout/runs.h"
#include "layout/shape.h"
#include "layout/tiling_check.h"
#include "util/alloc.h"
#include "util/math.h"

int
dtx_rule_axes(const struct dtx_rule *rule, int ndim, int dim, int *axes_out)
{
    int count = 0;
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];

        if (p->kind == DTX_SHARD && dtx_dim_resolve(p->dim, ndim) == dim) {
            axes_out[count++] = p->axis;
        }
    }
    return count;
}

/* Sets the axes of a dim: the first as written has the largest stride. */
static void
set_axes(const struct dtx_subject *s, int dim, struct dtx_tiling_dim *out)
{
    int stride = 1;
    int i;

    out->axis_count = dtx_rule_axes(s->rule, s->ndim, dim, out->axes);
    for (i = out->axis_count - 1; i >= 0; i--) {
        out->strides[i] = stride;
        stride *= s->layout->mesh.sizes[out->axes[i]];
    }
    out->piece_count = stride;
}

/* Makes the arrays of a dim in the arena; false when out of memory. */
static bool
make_arrays(struct dtx_arena *arena, struct dtx_tiling_dim *dim, size_t tiles)
{
    size_t pieces = (size_t)dim->piece_count;

    dim->tile_count = (int)tiles;
    dim->extents = dtx_arena_alloc(arena, pieces, sizeof(*dim->extents));
    dim->tiles = dtx_arena_alloc(arena, tiles, sizeof(*dim->tiles));
    dim->piece_first =
        dtx_arena_alloc(arena, pieces + 1, sizeof(*dim->piece_first));
    dim->piece_tiles = dtx_arena_alloc(arena, tiles, sizeof(*dim->piece_tiles));
    return dim->extents != NULL && dim->tiles != NULL &&
           dim->piece_first != NULL && dim->piece_tiles != NULL;
}

/* Lists the tiles piece by piece, by counting; the tiles are set. */
static void
index_pieces(struct dtx_tiling_dim *dim)
{
    int *first = dim->piece_first;
    int i;

    for (i = 0; i < dim->tile_count; i++) {
        first[dim->tiles[i].piece + 1]++;
    }
    for (i = 0; i < dim->piece_count; i++) {
        first[i + 1] += first[i];
    }
    /* Filling moves each piece's first to its end, which is the next one's
     * first: moving the array by one place mends that. */
    for (i = 0; i < dim->tile_count; i++) {
        dim->piece_tiles[first[dim->tiles[i].piece]++] = i;
    }
    memmove(first + 1, first, (size_t)dim->piece_count * sizeof(*first));
    first[0] = 0;
}

/*
 * Copies the runs that hold logical elements. What lies beyond the logical
 * extent is padding: it adds to its piece's extent and, as every piece is
 * ascending, comes after all of the piece's tiles.
 */
static bool
set_tiles(struct dtx_arena *arena, const struct dtx_runs *runs,
          struct dtx_tiling_dim *dim)
{
    size_t used = runs->count;
    size_t i;

    while (used > 0 && runs->tiles[used - 1].lo >= dim->logical) {
        used--;
    }
    if (!make_arrays(arena, dim, used)) {
        return false;
    }
    for (i = 0; i < runs->count; i++) {
        struct dtx_tile tile = runs->tiles[i];

        tile.local = dim->extents[tile.piece];
        dim->extents[tile.piece] += tile.hi - tile.lo;
        if (i < used) {
            tile.hi = dtx_min(tile.hi, dim->logical);
            dim->tiles[i] = tile;
        }
    }
    index_pieces(dim);
    return true;
}

/* `split: pad`: equal pieces over all axes at once, the last ones padding. */
static bool
tile_padded(const struct dtx_subject *s, struct dtx_arena *arena,
            struct dtx_tiling_dim *dim)
{
    int64_t extent = dtx_ceil_div(dim->stored, dim->piece_count);
    int64_t used = extent > 0 ? dtx_ceil_div(dim->logical, extent) : 0;
    int i;

    if (dtx_mul_overflows(extent, dim->piece_count, &dim->stored)) {
        dtx_report_too_large(s);
        return false;
    }
    if (!make_arrays(arena, dim, (size_t)used)) {
        return false;
    }
    for (i = 0; i < dim->piece_count; i++) {
        dim->extents[i] = extent;
    }
    for (i = 0; i < dim->tile_count; i++) {
        dim->tiles[i].lo = i * extent;
        dim->tiles[i].hi = dtx_min((i + 1) * extent, dim->logical);
        dim->tiles[i].piece = i;
    }
    index_pieces(dim);
    return true;
}

/* The edges that sizes make, to be freed; NULL when out of memory. */
static int64_t *
make_edges(const int64_t *sizes, int parts)
{
    int64_t *edges = dtx_alloc((size_t)parts + 1, sizeof(*edges));
    int i;

    for (i = 0; edges != NULL && i < parts; i++) {
        edges[i + 1] = edges[i] + sizes[i];
    }
    return edges;
}

/* Cuts the runs by one placement; false after a diagnostic or out of memory. */
static bool
cut_by(const struct dtx_subject *s, const struct dtx_placement *p, int dim,
       int64_t stored, struct dtx_runs *runs)
{
    const int64_t *sizes = p->keys[DTX_SHARD_SIZES].list;
    const struct dtx_shard_value *segments = &p->keys[DTX_SHARD_SEGMENTS];
    struct dtx_cut cut = {s->rule->split, s->layout->mesh.sizes[p->axis],
                          dtx_max(1, p->keys[DTX_SHARD_BLOCK].number),
                          dtx_max(1, p->keys[DTX_SHARD_FACTOR].number), NULL};
    struct dtx_uneven uneven;
    enum dtx_cut_fault fault = DTX_CUT_MEMORY;
    int64_t *edges = NULL;

    if (sizes != NULL) {
        edges = make_edges(sizes, cut.parts);
        cut.edges = edges;
    }
    if (sizes == NULL || edges != NULL) {
        fault = dtx_runs_cut(runs, &cut, (int)segments->number, segments->list,
                             &uneven);
    }
    dtx_free(edges);
    if (fault == DTX_CUT_UNEVEN) {
        dtx_report_uneven(s, p, dim, stored, &uneven);
    } else if (fault == DTX_CUT_TOO_MANY) {
        dtx_report_too_many(s, p, dim);
    }
    return fault == DTX_CUT_DONE;
}

/* Checks the lengths of all placements of a dim, so that each is reported. */
static bool
check_dim(const struct dtx_subject *s, int dim, int64_t stored)
{
    bool is_right = true;
    bool is_first = true;
    int i;

    for (i = 0; i < s->rule->placement_count; i++) {
        const struct dtx_placement *p = &s->rule->placements[i];

        if (p->kind == DTX_SHARD && dtx_dim_resolve(p->dim, s->ndim) == dim) {
            is_right =
                dtx_check_lengths(s, p, dim, stored, is_first) && is_right;
            is_first = false;
        }
    }
    return is_right;
}

static bool
tile_dim(const struct dtx_subject *s, struct dtx_arena *arena, int dim,
         struct dtx_tiling_dim *out)
{
    struct dtx_runs runs;
    bool is_done;
    int i;

    set_axes(s, dim, out);
    if (!check_dim(s, dim, out->stored)) {
        return false;
    }
    if (s->rule->split == DTX_SPLIT_PAD && out->axis_count > 0) {
        return tile_padded(s, arena, out);
    }
    is_done = dtx_runs_start(&runs, out->stored);
    for (i = 0; is_done && i < s->rule->placement_count; i++) {
        const struct dtx_placement *p = &s->rule->placements[i];

        if (p->kind == DTX_SHARD && dtx_dim_resolve(p->dim, s->ndim) == dim) {
            is_done = cut_by(s, p, dim, out->stored, &runs);
        }
    }
    is_done = is_done && set_tiles(arena, &runs, out);
    dtx_runs_finish(&runs);
    return is_done;
}

static void
set_partials(const struct dtx_rule *rule, struct dtx_tiling *tiling)
{
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];

        if (p->kind == DTX_PARTIAL) {
            tiling->partials[tiling->partial_count++] =
                (struct dtx_tiling_partial){p->axis, p->op};
        }
    }
}

/* The shape with padding must be countable, like any shape. */
static bool
check_size(const struct dtx_subject *s, const struct dtx_tiling *tiling)
{
    int64_t stored[DTX_NDIM_MAX];
    int dim;

    for (dim = 0; dim < s->ndim; dim++) {
        stored[dim] = tiling->dims[dim].stored;
    }
    if (dtx_shape_count(s->ndim, stored) >= 0) {
        return true;
    }
    dtx_report_too_large(s);
    return false;
}

struct dtx_tiling *
dtx_tiling_create(struct dtx_arena *arena, const struct dtx_layout *layout,
                  const struct dtx_rule *rule, const char *name, int ndim,
                  const int64_t *shape, struct dtx_diagnostics *list)
{
    struct dtx_subject s = {layout, rule, name, ndim, shape, list};
    struct dtx_tiling *tiling;
    int64_t stored[DTX_NDIM_MAX];
    bool is_right = dtx_check_dims(&s);
    int dim;

    is_right = dtx_check_pad(&s, stored) && is_right;
    if (!is_right) {
        return NULL;
    }
    tiling = dtx_arena_alloc(arena, 1, sizeof(*tiling));
    if (tiling == NULL) {
        return NULL;
    }
    tiling->dims = dtx_arena_alloc(arena, (size_t)ndim, sizeof(*tiling->dims));
    if (tiling->dims == NULL) {
        return NULL;
    }
    tiling->ndim = ndim;
    for (dim = 0; dim < ndim; dim++) {
        tiling->dims[dim].logical = shape[dim];
        tiling->dims[dim].stored = stored[dim];
        /* All dims are tried, so that all their mistakes are reported. */
        is_right = tile_dim(&s, arena, dim, &tiling->dims[dim]) && is_right;
    }
    if (!is_right || !check_size(&s, tiling)) {
        return NULL;
    }
    set_partials(rule, tiling);
    return tiling;
}

int
dtx_tiling_piece(const struct dtx_tiling *tiling, const struct dtx_mesh *mesh,
                 int dim, int position)
{
    const struct dtx_tiling_dim *d = &tiling->dims[dim];
    int piece = 0;
    int i;

    for (i = 0; i < d->axis_count; i++) {
        piece +=
            dtx_mesh_coordinate(mesh, position, d->axes[i]) * d->strides[i];
    }
    return piece;
}

void
dtx_tiling_local_shape(const struct dtx_tiling *tiling,
                       const struct dtx_mesh *mesh, int position,
                       int64_t *shape_out)
{
    int dim;

    for (dim = 0; dim < tiling->ndim; dim++) {
        int piece = dtx_tiling_piece(tiling, mesh, dim, position);

        shape_out[dim] = tiling->dims[dim].extents[piece];
    }
}

int
dtx_tiling_find(const struct dtx_tiling_dim *dim, int64_t index)
{
    int first = 0;
    int last = dim->tile_count - 1;

    if (index < 0 || index >= dim->logical) {
        return -1;
    }
    while (first < last) {
        int middle = first + (last - first) / 2;

        if (dim->tiles[middle].hi <= index) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}
