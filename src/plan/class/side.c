#include "plan/class/side.h"

#include <limits.h>

#include "layout/shape.h"
#include "util/alloc.h"
#include "util/sort.h"

/* A position while the side is built. */
struct holder {
    int shard, process, position;
};

static int
term_of(const struct dtx_side *side, int position)
{
    int term = 0, i;

    for (i = 0; i < side->tiling->partial_count; i++) {
        int axis = side->tiling->partials[i].axis;

        term = term * side->mesh->sizes[axis] +
               dtx_mesh_coordinate(side->mesh, position, axis);
    }
    return term;
}

int
dtx_side_shard(const struct dtx_side *side, int position)
{
    const struct dtx_tiling *tiling = side->tiling;
    int product = 0, dim;

    for (dim = 0; dim < tiling->ndim; dim++) {
        product = product * tiling->dims[dim].piece_count +
                  dtx_tiling_piece(tiling, side->mesh, dim, position);
    }
    return term_of(side, position) * side->product_count + product;
}

void
dtx_side_pieces(const struct dtx_side *side, int shard, int *pieces_out)
{
    int rest = shard % side->product_count, dim;

    for (dim = side->tiling->ndim - 1; dim >= 0; dim--) {
        int count = side->tiling->dims[dim].piece_count;

        pieces_out[dim] = rest % count;
        rest /= count;
    }
}

static int
compare_by_shard(const void *left, const void *right)
{
    const struct holder *a = left;
    const struct holder *b = right;

    if (a->shard != b->shard) {
        return a->shard < b->shard ? -1 : 1;
    }
    return a->position < b->position ? -1 : a->position > b->position;
}

/* By shard, then process, then position. */
static int
compare_by_process(const void *left, const void *right)
{
    const struct holder *a = left;
    const struct holder *b = right;

    if (a->shard != b->shard) {
        return a->shard < b->shard ? -1 : 1;
    }
    if (a->process != b->process) {
        return a->process < b->process ? -1 : 1;
    }
    return a->position < b->position ? -1 : a->position > b->position;
}

static int
compare_uses(const void *left, const void *right)
{
    const struct dtx_use *a = left;
    const struct dtx_use *b = right;

    if (a->process != b->process) {
        return a->process < b->process ? -1 : 1;
    }
    return a->shard < b->shard ? -1 : a->shard > b->shard;
}

/* The coordinates at which an axis holds the tensor. */
static int
axis_count(const struct dtx_side *side, int axis)
{
    return side->presence.coordinates[axis] != NULL
               ? side->presence.counts[axis]
               : side->mesh->sizes[axis];
}

static int
axis_coordinate(const struct dtx_side *side, int axis, int index)
{
    const int *coordinates = side->presence.coordinates[axis];

    return coordinates != NULL ? coordinates[index] : index;
}

/* Lists the positions that hold the tensor and are hosted by a process, in
 * ascending order. Returns how many of the holding ones are. */
static int
list_holders(const struct dtx_side *side, const int *processes,
             struct holder *holders)
{
    int i, axis, held = 0;

    for (i = 0; i < side->position_count; i++) {
        int rest = i, position = 0;

        for (axis = side->mesh->axis_count - 1; axis >= 0; axis--) {
            int count = axis_count(side, axis);

            position += axis_coordinate(side, axis, rest % count) *
                        side->mesh->strides[axis];
            rest /= count;
        }
        if (processes[position] >= 0) {
            holders[held].position = position;
            holders[held].process = processes[position];
            holders[held++].shard = dtx_side_shard(side, position);
        }
    }
    return held;
}

static bool
starts_use(const struct holder *holders, int i)
{
    return i == 0 || holders[i].shard != holders[i - 1].shard ||
           holders[i].process != holders[i - 1].process;
}

/* holders come sorted by (shard, process, position). */
static void
fill_uses(struct dtx_side *side, const struct holder *holders)
{
    int i, shard = 0, used = 0;

    for (i = 0; i < side->position_count; i++) {
        while (shard <= holders[i].shard) {
            side->process_first[shard++] = used;
        }
        if (starts_use(holders, i)) {
            side->processes[used] = holders[i].process;
            side->uses[used].process = holders[i].process;
            side->uses[used].shard = holders[i].shard;
            side->uses[used].position = holders[i].position;
            used++;
        }
    }
    while (shard <= side->shard_count) {
        side->process_first[shard++] = used;
    }
    dtx_sort(side->uses, (size_t)used, sizeof *side->uses, compare_uses);
}

/* holders come sorted by (shard, position). */
static void
fill_positions(struct dtx_side *side, const struct holder *holders)
{
    int i, shard = 0;

    for (i = 0; i < side->position_count; i++) {
        while (shard <= holders[i].shard) {
            side->shard_first[shard++] = i;
        }
        side->positions[i] = holders[i].position;
    }
    while (shard <= side->shard_count) {
        side->shard_first[shard++] = side->position_count;
    }
}

/* Lists who holds what, position by position of each shard. */
static int
set_positions(struct dtx_arena *arena, struct dtx_side *side,
              struct holder *holders)
{
    size_t count = (size_t)side->position_count;

    dtx_sort(holders, count, sizeof *holders, compare_by_shard);
    side->positions = dtx_arena_alloc(arena, count, sizeof(int));
    side->shard_first =
        dtx_arena_alloc(arena, (size_t)side->shard_count + 1, sizeof(int));
    if (side->positions == NULL || side->shard_first == NULL) {
        return -1;
    }
    fill_positions(side, holders);
    return 0;
}

/* Lists who holds what, process by process. */
static int
set_uses(struct dtx_arena *arena, struct dtx_side *side, struct holder *holders)
{
    size_t shards = (size_t)side->shard_count + 1;
    size_t count = (size_t)side->position_count;
    size_t i;

    dtx_sort(holders, count, sizeof *holders, compare_by_process);
    side->use_count = 0;
    for (i = 0; i < count; i++) {
        side->use_count += starts_use(holders, (int)i);
    }
    count = (size_t)side->use_count;
    side->uses = dtx_arena_alloc(arena, count, sizeof *side->uses);
    side->processes = dtx_arena_alloc(arena, count, sizeof(int));
    side->process_first = dtx_arena_alloc(arena, shards, sizeof(int));
    if (side->uses == NULL || side->processes == NULL ||
        side->process_first == NULL) {
        return -1;
    }
    fill_uses(side, holders);
    return 0;
}

struct dtx_side *
dtx_side_create(struct dtx_arena *arena, const struct dtx_mesh *mesh,
                const struct dtx_tiling *tiling,
                const struct dtx_presence *presence, const int *processes)
{
    struct dtx_side *side = dtx_arena_alloc(arena, 1, sizeof *side);
    struct holder *holders;
    int i, failed;

    if (side == NULL) {
        return NULL;
    }
    side->mesh = mesh;
    side->tiling = tiling;
    side->presence = *presence;
    side->product_count = side->term_count = side->position_count = 1;
    for (i = 0; i < tiling->ndim; i++) {
        side->product_count *= tiling->dims[i].piece_count;
    }
    for (i = 0; i < tiling->partial_count; i++) {
        side->term_count *= mesh->sizes[tiling->partials[i].axis];
    }
    for (i = 0; i < mesh->axis_count; i++) {
        side->position_count *= axis_count(side, i);
    }
    side->shard_count = side->product_count * side->term_count;
    holders = dtx_alloc((size_t)side->position_count, sizeof *holders);
    failed = holders == NULL;
    if (!failed) {
        side->position_count = list_holders(side, processes, holders);
        failed = set_positions(arena, side, holders) != 0 ||
                 set_uses(arena, side, holders) != 0;
    }
    dtx_free(holders);
    return failed ? NULL : side;
}

int
dtx_side_host(struct dtx_side *side, struct dtx_arena *arena,
              const int *processes)
{
    struct holder *holders =
        dtx_alloc((size_t)side->position_count, sizeof *holders);
    int shard, i, failed = holders == NULL;

    for (shard = 0; shard < side->shard_count && !failed; shard++) {
        for (i = side->shard_first[shard]; i < side->shard_first[shard + 1];
             i++) {
            int position = side->positions[i];

            holders[i] = (struct holder){shard, processes[position], position};
        }
    }
    failed = failed || set_uses(arena, side, holders) != 0;
    dtx_free(holders);
    return failed ? -1 : 0;
}

/* The first use at or behind a process's use of a shard. */
static int
lower_use(const struct dtx_side *side, int process, int shard)
{
    int lo = 0, hi = side->use_count;

    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;
        const struct dtx_use *use = &side->uses[middle];

        if (use->process < process ||
            (use->process == process && use->shard < shard)) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

int
dtx_side_uses(const struct dtx_side *side, int process, int *first_out)
{
    *first_out = lower_use(side, process, 0);
    return lower_use(side, process, INT_MAX) - *first_out;
}

void
dtx_side_advance(const struct dtx_side *side, int process,
                 struct dtx_use_range *range)
{
    int first = range->first, end;

    if (range->count > 0 && side->uses[first].process == process) {
        return;
    }
    first += range->count;
    while (first < side->use_count && side->uses[first].process < process) {
        first++;
    }
    for (end = first;
         end < side->use_count && side->uses[end].process == process; end++) {
    }
    *range = (struct dtx_use_range){first, end - first};
}

const struct dtx_use *
dtx_side_find_use(const struct dtx_side *side, int process, int shard)
{
    int at = lower_use(side, process, shard);

    return at < side->use_count && side->uses[at].process == process &&
                   side->uses[at].shard == shard
               ? &side->uses[at]
               : NULL;
}

bool
dtx_side_has(const struct dtx_side *side, int process, int shard)
{
    int at = side->process_first[shard] +
             dtx_side_process_index(side, shard, process);

    return at < side->process_first[shard + 1] &&
           side->processes[at] == process;
}

int
dtx_side_process_index(const struct dtx_side *side, int shard, int process)
{
    int lo = side->process_first[shard];
    int hi = side->process_first[shard + 1];

    while (hi - lo > 1) {
        int middle = lo + (hi - lo) / 2;

        if (side->processes[middle] <= process) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return lo - side->process_first[shard];
}

void
dtx_side_logical_shape(const struct dtx_side *side, int shard,
                       int64_t *shape_out)
{
    const struct dtx_tiling *tiling = side->tiling;
    int pieces[DTX_NDIM_MAX];
    int dim, i;

    dtx_side_pieces(side, shard, pieces);
    for (dim = 0; dim < tiling->ndim; dim++) {
        const struct dtx_tiling_dim *d = &tiling->dims[dim];

        shape_out[dim] = 0;
        for (i = d->piece_first[pieces[dim]];
             i < d->piece_first[pieces[dim] + 1]; i++) {
            const struct dtx_tile *tile = &d->tiles[d->piece_tiles[i]];

            shape_out[dim] += tile->hi - tile->lo;
        }
    }
}

int64_t
dtx_side_elements(const struct dtx_side *side, int shard)
{
    int64_t shape[DTX_NDIM_MAX];

    dtx_side_logical_shape(side, shard, shape);
    return dtx_shape_count(side->tiling->ndim, shape);
}
