#include "plan/class/class.h"

#include "plan/send/senders.h"

#include "util/math.h"

enum { SHARES_MOST = 4096 };

size_t
dtx_class_stage_bytes(const struct dtx_class *c)
{
    size_t bytes = c->src_bytes * (size_t)c->src->term_count;

    return bytes > c->dst_bytes ? bytes : c->dst_bytes;
}

/* The longest pair of a dim. */
static int64_t
longest_pair(const struct dtx_overlap *overlap)
{
    int64_t longest = 0;
    int i;

    for (i = 0; i < overlap->pair_count; i++) {
        longest = dtx_max(longest, overlap->pairs[i].length);
    }
    return longest;
}

void
dtx_class_choose_shares(struct dtx_class *c, int64_t wanted,
                        int64_t bytes_least)
{
    int64_t elements = 1, best = 0, shares;
    int dim;

    c->share_count = 1;
    c->split_dim = 0;
    if (c->elements == 0) { /* however long its other dims are */
        return;
    }
    for (dim = 0; dim < c->ndim; dim++) {
        int64_t longest = longest_pair(c->overlaps[dim]);

        elements *= longest;
        if (longest > best) {
            best = longest;
            c->split_dim = dim;
        }
    }
    shares = elements * (int64_t)c->wire_bytes / bytes_least;
    shares = dtx_min(dtx_min(shares, best), wanted);
    shares = dtx_min(shares, SHARES_MOST);
    if (shares > 1) {
        c->share_count = (int)shares;
    }
    for (dim = 0; dim < c->ndim; dim++) { /* outermost that can carry it */
        if (longest_pair(c->overlaps[dim]) >= 8 * (int64_t)c->share_count) {
            c->split_dim = dim;
            return;
        }
    }
}

int
dtx_class_share_count(const struct dtx_class *c, int src_shard)
{
    int holders =
        c->src->process_first[src_shard + 1] - c->src->process_first[src_shard];

    /* Terms that are reduced together must come in the same pieces. */
    return holders > 1 || c->relays != NULL || dtx_class_terms(c) > 1
               ? c->share_count
               : 1;
}

struct dtx_share
dtx_class_share(const struct dtx_class *c, int src_shard, int dst_shard,
                int receiver, int i, int64_t pair_length)
{
    int first = c->src->process_first[src_shard];
    int count = dtx_class_share_count(c, src_shard);
    int holder = c->src->process_first[src_shard + 1] - first == 1
                     ? 0
                     : dtx_senders_find(c, src_shard, dst_shard, receiver, i);

    return (struct dtx_share){c->src->processes[first + holder], holder,
                              dtx_cut(pair_length, count, i),
                              dtx_cut(pair_length, count, i + 1)};
}

int
dtx_class_direct_position(const struct dtx_class *c, int src_shard,
                          int dst_shard)
{
    int first = c->src->shard_first[src_shard];
    int count = c->src->shard_first[src_shard + 1] - first;

    return c->src->positions[first + (c->index + dst_shard) % count];
}

void
dtx_walk_begin(struct dtx_walk *walk, const struct dtx_class *c,
               bool from_source, int shard)
{
    int pieces[DTX_NDIM_MAX];
    int dim;

    walk->c = c;
    walk->from_source = from_source;
    walk->started = false;
    walk->other_term = 0;
    if (c->dst->term_count > 1) {
        walk->other_term =
            from_source ? shard / c->src->product_count * c->dst->product_count
                        : shard / c->dst->product_count * c->src->product_count;
    }
    dtx_side_pieces(from_source ? c->src : c->dst, shard, pieces);
    for (dim = 0; dim < c->ndim; dim++) {
        const struct dtx_overlap *o = c->overlaps[dim];
        const int *first = from_source ? o->src_first : o->dst_first;

        walk->first[dim] = walk->at[dim] = first[pieces[dim]];
        walk->end[dim] = first[pieces[dim] + 1];
    }
}

bool
dtx_is_unwanted(const struct dtx_plan_options *options)
{
    return options != NULL && options->must_stop != NULL &&
           options->must_stop();
}

/* Steps the odometer, last dim fastest; false when it has gone round. */
static bool
step(struct dtx_walk *walk)
{
    int dim;

    if (!walk->started) {
        walk->started = true;
        if (dtx_is_unwanted(walk->c->options)) {
            return false;
        }
        for (dim = 0; dim < walk->c->ndim; dim++) {
            if (walk->first[dim] == walk->end[dim]) {
                return false;
            }
        }
        return true;
    }
    for (dim = walk->c->ndim - 1; dim >= 0; dim--) {
        if (++walk->at[dim] < walk->end[dim]) {
            return true;
        }
        walk->at[dim] = walk->first[dim];
    }
    return false;
}

bool
dtx_walk_next(struct dtx_walk *walk)
{
    const struct dtx_side *side =
        walk->from_source ? walk->c->dst : walk->c->src;
    int dim;

    if (!step(walk)) {
        return false;
    }
    walk->other = 0;
    for (dim = 0; dim < walk->c->ndim; dim++) {
        const struct dtx_overlap *o = walk->c->overlaps[dim];
        int pair =
            walk->from_source ? walk->at[dim] : o->dst_pairs[walk->at[dim]];

        walk->pairs[dim] = &o->pairs[pair];
        walk->other =
            walk->other * side->tiling->dims[dim].piece_count +
            (walk->from_source ? o->pairs[pair].dst : o->pairs[pair].src);
    }
    walk->other += walk->other_term;
    return true;
}

int64_t
dtx_walk_count(const struct dtx_walk *walk)
{
    int64_t count = 1;
    int dim;

    for (dim = 0; dim < walk->c->ndim; dim++) {
        count *= walk->end[dim] - walk->first[dim];
    }
    return count;
}

int64_t
dtx_walk_elements(const struct dtx_walk *walk)
{
    int64_t elements = 1;
    int dim;

    for (dim = 0; dim < walk->c->ndim; dim++) {
        elements *= walk->pairs[dim]->length;
    }
    return elements;
}
