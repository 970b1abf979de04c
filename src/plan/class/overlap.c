#include "plan/class/overlap.h"

#include "util/alloc.h"
#include "util/math.h"
#include "util/sort.h"

/* A span before it is sorted into its pair. */
struct piece_span {
    int src, dst;
    struct dtx_span span;
};

static int
compare_spans(const void *left, const void *right)
{
    const struct piece_span *a = left;
    const struct piece_span *b = right;

    if (a->src != b->src) {
        return a->src < b->src ? -1 : 1;
    }
    if (a->dst != b->dst) {
        return a->dst < b->dst ? -1 : 1;
    }
    return a->span.lo < b->span.lo ? -1 : a->span.lo > b->span.lo;
}

/* Walks both sorted tile lists at once; returns the number of spans. */
static int
merge_tiles(const struct dtx_tiling_dim *src, const struct dtx_tiling_dim *dst,
            struct piece_span *spans)
{
    int count = 0, s = 0, d = 0;

    while (s < src->tile_count && d < dst->tile_count) {
        const struct dtx_tile *a = &src->tiles[s];
        const struct dtx_tile *b = &dst->tiles[d];
        int64_t lo = dtx_max(a->lo, b->lo);
        int64_t hi = dtx_min(a->hi, b->hi);

        if (lo < hi) {
            spans[count++] = (struct piece_span){
                a->piece,
                b->piece,
                {lo, hi - lo, a->local + lo - a->lo, b->local + lo - b->lo, 0}};
        }
        s += a->hi == hi;
        d += b->hi == hi;
    }
    return count;
}

static bool
continues(const struct piece_span *last, const struct piece_span *next)
{
    return last->src == next->src && last->dst == next->dst &&
           last->span.lo + last->span.length == next->span.lo &&
           last->span.src_local + last->span.length == next->span.src_local &&
           last->span.dst_local + last->span.length == next->span.dst_local;
}

/* Joins spans that are one run on both sides; returns how many are left. */
static int
join_spans(struct piece_span *spans, int count)
{
    int kept = 0, i;

    for (i = 0; i < count; i++) {
        if (kept > 0 && continues(&spans[kept - 1], &spans[i])) {
            spans[kept - 1].span.length += spans[i].span.length;
        } else {
            spans[kept++] = spans[i];
        }
    }
    return kept;
}

static void
fill_pairs(struct dtx_overlap *o, const struct piece_span *spans, int count)
{
    struct dtx_pair *pair = NULL;
    int i;

    for (i = 0; i < count; i++) {
        if (pair == NULL || pair->src != spans[i].src ||
            pair->dst != spans[i].dst) {
            pair = &o->pairs[o->pair_count++];
            *pair = (struct dtx_pair){spans[i].src, spans[i].dst, 0, i, 0};
        }
        o->spans[i] = spans[i].span;
        o->spans[i].at = pair->length;
        pair->length += spans[i].span.length;
        pair->span_count++;
    }
}

/* Counting sort of the pairs by target piece; source order is kept. */
static void
index_pairs(struct dtx_overlap *o)
{
    int i;

    for (i = 0; i < o->pair_count; i++) {
        o->src_first[o->pairs[i].src + 1]++;
        o->dst_first[o->pairs[i].dst + 1]++;
    }
    for (i = 0; i < o->src_count; i++) {
        o->src_first[i + 1] += o->src_first[i];
    }
    for (i = 0; i < o->dst_count; i++) {
        o->dst_first[i + 1] += o->dst_first[i];
    }
    for (i = 0; i < o->pair_count; i++) {
        o->dst_pairs[o->dst_first[o->pairs[i].dst]++] = i;
    }
    for (i = o->dst_count; i > 0; i--) {
        o->dst_first[i] = o->dst_first[i - 1];
    }
    o->dst_first[0] = 0;
}

static int
distinct_pairs(const struct piece_span *spans, int count)
{
    int pairs = 0, i;

    for (i = 0; i < count; i++) {
        pairs += i == 0 || spans[i].src != spans[i - 1].src ||
                 spans[i].dst != spans[i - 1].dst;
    }
    return pairs;
}

static struct dtx_overlap *
build(struct dtx_arena *arena, const struct dtx_tiling_dim *src,
      const struct dtx_tiling_dim *dst, struct piece_span *spans)
{
    struct dtx_overlap *o = dtx_arena_alloc(arena, 1, sizeof *o);
    int count = merge_tiles(src, dst, spans);
    size_t pair_count;

    dtx_sort(spans, (size_t)count, sizeof *spans, compare_spans);
    count = join_spans(spans, count);
    pair_count = (size_t)distinct_pairs(spans, count);
    if (o == NULL) {
        return NULL;
    }
    o->src_count = src->piece_count;
    o->dst_count = dst->piece_count;
    o->spans = dtx_arena_alloc(arena, (size_t)count, sizeof *o->spans);
    o->pairs = dtx_arena_alloc(arena, pair_count, sizeof *o->pairs);
    o->dst_pairs = dtx_arena_alloc(arena, pair_count, sizeof *o->dst_pairs);
    o->src_first =
        dtx_arena_alloc(arena, (size_t)o->src_count + 1, sizeof *o->src_first);
    o->dst_first =
        dtx_arena_alloc(arena, (size_t)o->dst_count + 1, sizeof *o->dst_first);
    if (o->spans == NULL || o->pairs == NULL || o->dst_pairs == NULL ||
        o->src_first == NULL || o->dst_first == NULL) {
        return NULL;
    }
    fill_pairs(o, spans, count);
    index_pairs(o);
    return o;
}

struct dtx_overlap *
dtx_overlap_create(struct dtx_arena *arena, const struct dtx_tiling_dim *src,
                   const struct dtx_tiling_dim *dst)
{
    size_t most = (size_t)src->tile_count + (size_t)dst->tile_count;
    struct piece_span *spans = dtx_alloc(most, sizeof *spans);
    struct dtx_overlap *overlap = NULL;

    if (spans != NULL) {
        overlap = build(arena, src, dst, spans);
    }
    dtx_free(spans);
    return overlap;
}

const struct dtx_pair *
dtx_overlap_find(const struct dtx_overlap *overlap, int src, int dst)
{
    int lo = overlap->src_first[src];
    int hi = overlap->src_first[src + 1];

    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;

        if (overlap->pairs[middle].dst < dst) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    if (lo < overlap->src_first[src + 1] && overlap->pairs[lo].dst == dst) {
        return &overlap->pairs[lo];
    }
    return NULL;
}
