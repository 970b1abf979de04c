#include "plan/step/parts.h"

#include "util/math.h"

static uint64_t
largest_load(const struct dtx_load *loads, int count)
{
    uint64_t most = 0;
    int i;

    for (i = 0; i < count; i++) {
        most = loads[i].bytes > most ? loads[i].bytes : most;
    }
    return most;
}

/* Lengths of what is cut in a dim: cutting beyond the shortest is uneven,
 * beyond the longest useless. */
struct cut_range {
    int64_t shortest, longest;
};

/* Slabs fall on all processes alike only in dims that no round divides. */
static struct cut_range
slab_range(const struct dtx_class *c, int dim)
{
    struct cut_range range = {c->src->tiling->dims[dim].logical,
                              dtx_max(1, c->src->tiling->dims[dim].logical)};

    for (; c != NULL; c = c->next) {
        if (c->overlaps[dim]->pair_count > 1) {
            range.shortest = 1;
        }
    }
    return range;
}

/* Into how many shares transfers are cut, of a source shard at least or at
 * most. */
static int
share_count(const struct dtx_class *c, bool at_most)
{
    int shard, count = dtx_class_share_count(c, 0);

    for (shard = 1; shard < c->src->shard_count && c->share_count > 1;
         shard++) {
        int next = dtx_class_share_count(c, shard);

        count = (next > count) == at_most ? next : count;
    }
    return count;
}

/* Parts are cut of shares, each on its own. */
static struct cut_range
cut_range(const struct dtx_class *c, int dim)
{
    const struct dtx_overlap *o = c->overlaps[dim];
    struct cut_range range = {INT64_MAX, 1};
    int i;

    if (dtx_class_has_slabs(c)) {
        return slab_range(c, dim);
    }
    for (i = 0; i < o->pair_count; i++) {
        range.shortest = dtx_min(range.shortest, o->pairs[i].length);
        range.longest = dtx_max(range.longest, o->pairs[i].length);
    }
    if (dim == c->split_dim && c->share_count > 1) {
        range.shortest = dtx_max(1, range.shortest / share_count(c, true));
        range.longest = dtx_ceil_div(range.longest, share_count(c, false));
    }
    return range;
}

/* The dim to cut further: the outermost where parts stay even, else the one
 * with the longest parts; -1 where nothing is left to cut. */
static int
dim_to_cut(const struct dtx_class *c, const struct dtx_parts *parts)
{
    int64_t longest = 1;
    int dim, best = -1;

    for (dim = 0; dim < c->ndim; dim++) {
        struct cut_range range = cut_range(c, dim);
        int64_t length = dtx_ceil_div(range.longest, parts->counts[dim]);

        if (parts->counts[dim] * 2 <= range.shortest) {
            return dim;
        }
        if (length > longest) {
            longest = length;
            best = dim;
        }
    }
    return best;
}

static void
cut_further(const struct dtx_class *c, struct dtx_parts *parts, int dim,
            uint64_t limit)
{
    int64_t longest = cut_range(c, dim).longest;
    int64_t factor = (int64_t)dtx_min(
        (int64_t)(parts->load / (limit > 0 ? limit : 1)) + 1, longest);
    int64_t most = dtx_ceil_div(longest, parts->counts[dim]);

    factor = dtx_max(2, dtx_min(factor, most));
    parts->counts[dim] = dtx_min(parts->counts[dim] * factor, longest);
}

int
dtx_parts_choose(const struct dtx_class *c, uint64_t limit,
                 struct dtx_arena *scratch, struct dtx_parts *parts,
                 struct dtx_load **loads_out)
{
    int dim, count;

    for (dim = 0; dim < c->ndim; dim++) {
        parts->counts[dim] = 1;
    }
    for (;;) {
        dtx_arena_reset(scratch);
        count = dtx_class_loads(c, parts->counts, scratch, loads_out);
        if (count < 0) {
            return -1;
        }
        parts->load = largest_load(*loads_out, count);
        dim = parts->load > limit ? dim_to_cut(c, parts) : -1;
        if (dim < 0) {
            break;
        }
        cut_further(c, parts, dim, limit);
    }
    parts->total = 1;
    for (dim = 0; dim < c->ndim; dim++) {
        parts->total *= parts->counts[dim];
    }
    return count;
}
