#include "layout/split.h"

#include "util/math.h"

const char *const dtx_split_names[] = {[DTX_SPLIT_CHUNK] = "chunk",
                                       [DTX_SPLIT_BALANCED] = "balanced",
                                       [DTX_SPLIT_PAD] = "pad",
                                       [DTX_SPLIT_EVEN] = "even"};

/* One of the pieces into which a named rule splits items. */
struct piece {
    int64_t index;
    int64_t lo, hi;
};

/* Chunks: all pieces have the length of the first, the last ones less. */
static struct piece
chunk_at(int64_t count, int64_t parts, int64_t at)
{
    int64_t step = dtx_ceil_div(count, parts);
    struct piece piece;

    piece.index = at / step;
    piece.lo = piece.index * step;
    piece.hi = step < count - piece.lo ? piece.lo + step : count;
    return piece;
}

/* Balanced: the first count % parts pieces have one item more. */
static struct piece
balanced_at(int64_t count, int64_t parts, int64_t at)
{
    int64_t small = count / parts;
    int64_t extra = count % parts;
    int64_t long_end = extra * (small + 1);
    struct piece piece;

    if (at < long_end) {
        piece.index = at / (small + 1);
        piece.lo = piece.index * (small + 1);
        piece.hi = piece.lo + small + 1;
    } else {
        piece.index = extra + (at - long_end) / small;
        piece.lo = long_end + (piece.index - extra) * small;
        piece.hi = piece.lo + small;
    }
    return piece;
}

static struct piece
piece_at(enum dtx_split split, int64_t count, int64_t parts, int64_t at)
{
    return split == DTX_SPLIT_BALANCED ? balanced_at(count, parts, at)
                                       : chunk_at(count, parts, at);
}

/* The last part whose edge is not beyond the item; empty parts are passed. */
static int
part_of_edges(const int64_t *edges, int parts, int64_t at)
{
    int first = 0;
    int last = parts - 1;

    while (first < last) {
        int middle = first + (last - first + 1) / 2;

        if (edges[middle] <= at) {
            first = middle;
        } else {
            last = middle - 1;
        }
    }
    return first;
}

struct dtx_cut_part
dtx_cut_part_at(const struct dtx_cut *cut, int64_t count, int64_t at)
{
    struct piece chunk = {0, 0, count};
    struct piece piece;
    struct dtx_cut_part found;
    int64_t units;

    if (cut->edges != NULL) {
        found.part = part_of_edges(cut->edges, cut->parts, at);
        found.end = cut->edges[found.part + 1];
        return found;
    }
    if (cut->factor > 1) {
        chunk = piece_at(cut->split, count, cut->factor, at);
    }
    units = dtx_ceil_div(chunk.hi - chunk.lo, cut->block);
    if (units == 1 || cut->parts == 1) {
        /* Later chunks are no longer than this one: all go to part 0. */
        found.part = 0;
        found.end = count;
        return found;
    }
    piece =
        piece_at(cut->split, units, cut->parts, (at - chunk.lo) / cut->block);
    found.part = (int)piece.index;
    /* The last unit can be clipped. */
    found.end = piece.hi == units ? chunk.hi : chunk.lo + piece.hi * cut->block;
    return found;
}

int64_t
dtx_split_length(enum dtx_split split, int64_t count, int64_t parts,
                 int64_t part)
{
    int64_t step;

    if (split == DTX_SPLIT_BALANCED) {
        return count / parts + (part < count % parts);
    }
    step = dtx_ceil_div(count, parts);
    if (split == DTX_SPLIT_PAD) {
        return step;
    }
    if (step == 0 || part > count / step) {
        return 0;
    }
    return dtx_min(step, count - part * step);
}
