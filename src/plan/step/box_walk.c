#include "plan/step/box_walk.h"

#include "util/math.h"

/* Sets the cut's spans, by binary search in the pair's ascending ones. */
static void
find_spans(struct dtx_cut_spans *cut, const struct dtx_pair *pair)
{
    int lo = pair->span_first, hi = lo + pair->span_count, end = hi;

    while (lo < hi) { /* the first that ends behind cut->lo */
        int middle = lo + (hi - lo) / 2;

        if (cut->spans[middle].at + cut->spans[middle].length <= cut->lo) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    cut->first = lo;
    hi = end;
    while (lo < hi) { /* the first that begins at or behind cut->hi */
        int middle = lo + (hi - lo) / 2;

        if (cut->spans[middle].at < cut->hi) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    cut->end = lo;
}

/* The elements of a pair before a global index. */
static int64_t
elements_before(const struct dtx_overlap *o, const struct dtx_pair *pair,
                int64_t index)
{
    const struct dtx_span *spans = o->spans + pair->span_first;
    int lo = 0, hi = pair->span_count;

    while (lo < hi) { /* the first span that begins at or behind it */
        int middle = lo + (hi - lo) / 2;

        if (spans[middle].lo < index) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    if (lo == 0) {
        return 0;
    }
    return spans[lo - 1].at +
           dtx_min(spans[lo - 1].length, index - spans[lo - 1].lo);
}

/* Cuts a part out of a link's share [cut->lo, cut->hi) of a pair. */
static void
cut_part(struct dtx_cut_spans *cut, const struct dtx_class *c, int dim,
         const struct dtx_pair *pair, int64_t count, int64_t part)
{
    const struct dtx_overlap *o = c->overlaps[dim];
    int64_t extent = c->src->tiling->dims[dim].logical;
    int64_t lo = cut->lo, length = cut->hi - cut->lo;

    if (dtx_class_has_slabs(c)) {
        int64_t begin = elements_before(o, pair, dtx_cut(extent, count, part));
        int64_t end =
            elements_before(o, pair, dtx_cut(extent, count, part + 1));

        cut->lo = dtx_max(cut->lo, begin);
        cut->hi = dtx_min(cut->hi, end);
    } else {
        cut->lo = lo + dtx_cut(length, count, part);
        cut->hi = lo + dtx_cut(length, count, part + 1);
    }
}

void
dtx_link_pairs(const struct dtx_class *c, const struct dtx_link *link,
               const struct dtx_pair **pairs_out)
{
    int src[DTX_NDIM_MAX], dst[DTX_NDIM_MAX];
    int dim;

    dtx_side_pieces(c->src, link->src_shard, src);
    dtx_side_pieces(c->dst, link->dst_shard, dst);
    for (dim = 0; dim < c->ndim; dim++) {
        pairs_out[dim] = dtx_overlap_find(c->overlaps[dim], src[dim], dst[dim]);
    }
}

void
dtx_box_walk_begin(struct dtx_box_walk *walk, const struct dtx_class *c,
                   const struct dtx_link *link, const int64_t *part_counts,
                   const int64_t *part)
{
    const struct dtx_pair *pairs[DTX_NDIM_MAX];

    dtx_link_pairs(c, link, pairs);
    dtx_box_walk_begin_pairs(walk, c, link, pairs, part_counts, part);
}

void
dtx_box_walk_begin_pairs(struct dtx_box_walk *walk, const struct dtx_class *c,
                         const struct dtx_link *link,
                         const struct dtx_pair *const *pairs,
                         const int64_t *part_counts, const int64_t *part)
{
    int dim;

    walk->ndim = c->ndim;
    walk->started = walk->is_empty = false;
    for (dim = 0; dim < c->ndim; dim++) {
        const struct dtx_pair *pair = pairs[dim];
        bool shared = dim == c->split_dim;
        struct dtx_cut_spans *cut = &walk->cuts[dim];

        cut->spans = c->overlaps[dim]->spans;
        cut->lo = shared ? link->lo : 0;
        cut->hi = shared ? link->hi : pair->length;
        if (part_counts != NULL && part_counts[dim] > 1) {
            cut_part(cut, c, dim, pair, part_counts[dim], part[dim]);
        }
        find_spans(cut, pair);
        walk->at[dim] = cut->first;
        walk->is_empty |= cut->lo >= cut->hi || cut->first >= cut->end;
    }
}

void
dtx_box_walk_begin_cut(struct dtx_box_walk *walk, const struct dtx_class *c,
                       int shard, const int64_t *lo, const int64_t *len)
{
    int pieces[DTX_NDIM_MAX];
    int dim;

    walk->ndim = c->ndim;
    walk->started = walk->is_empty = false;
    dtx_side_pieces(c->final, shard, pieces);
    for (dim = 0; dim < c->ndim && !walk->is_empty; dim++) {
        const struct dtx_overlap *o = c->cuts[dim];
        const struct dtx_pair *pair = dtx_overlap_find(o, 0, pieces[dim]);
        struct dtx_cut_spans *cut = &walk->cuts[dim];

        if (pair == NULL) {
            walk->is_empty = true;
            return;
        }
        cut->spans = o->spans;
        cut->lo = elements_before(o, pair, lo[dim]);
        cut->hi = elements_before(o, pair, lo[dim] + len[dim]);
        find_spans(cut, pair);
        walk->at[dim] = cut->first;
        walk->is_empty = cut->lo >= cut->hi;
    }
}

bool
dtx_box_walk_next(struct dtx_box_walk *walk)
{
    int dim;

    if (!walk->started) {
        walk->started = true;
        return !walk->is_empty;
    }
    for (dim = walk->ndim - 1; dim >= 0; dim--) {
        if (++walk->at[dim] < walk->cuts[dim].end) {
            return true;
        }
        walk->at[dim] = walk->cuts[dim].first;
    }
    return false;
}

void
dtx_box_walk_get(const struct dtx_box_walk *walk, enum dtx_indices indices,
                 int64_t *lo_out, int64_t *len_out)
{
    int dim;

    for (dim = 0; dim < walk->ndim; dim++) {
        const struct dtx_cut_spans *cut = &walk->cuts[dim];
        const struct dtx_span *span = &cut->spans[walk->at[dim]];
        int64_t begin = dtx_max(span->at, cut->lo);
        int64_t end = dtx_min(span->at + span->length, cut->hi);
        int64_t base = indices == DTX_INDICES_SOURCE   ? span->src_local
                       : indices == DTX_INDICES_TARGET ? span->dst_local
                                                       : span->lo;

        lo_out[dim] = base + begin - span->at;
        len_out[dim] = end - begin;
    }
}

int64_t
dtx_box_walk_elements(const struct dtx_box_walk *walk)
{
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX];
    int64_t elements = 1;
    int dim;

    dtx_box_walk_get(walk, DTX_INDICES_GLOBAL, lo, len);
    for (dim = 0; dim < walk->ndim; dim++) {
        elements *= len[dim];
    }
    return elements;
}
