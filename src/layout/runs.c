#include "layout/runs.h"

#include "util/alloc.h"
#include "util/math.h"

/* What a piece holds of the segment that is being cut. */
struct tally {
    int64_t total;
    int64_t taken; /* items that the walk has passed */
};

struct cutter {
    const struct dtx_cut *cut;
    const struct dtx_runs *from;
    struct dtx_runs to;
    struct tally *tallies; /* [pieces of from], zero between segments */
    size_t first;          /* the first run that reaches into the segment */
    int64_t lo, hi;        /* the segment */
};

bool
dtx_runs_start(struct dtx_runs *runs, int64_t stored)
{
    *runs = (struct dtx_runs){0};
    runs->piece_count = 1;
    if (stored == 0) {
        return true;
    }
    if (dtx_grow(&runs->tiles, 0, &runs->capacity, sizeof(*runs->tiles)) != 0) {
        return false;
    }
    runs->tiles[0] = (struct dtx_tile){0, stored, 0, 0};
    runs->count = 1;
    return true;
}

void
dtx_runs_finish(struct dtx_runs *runs)
{
    dtx_free(runs->tiles);
    *runs = (struct dtx_runs){0};
}

/* Adds a run, joined to the last where both are neighbours in one piece. */
static enum dtx_cut_fault
append(struct dtx_runs *runs, int64_t lo, int64_t hi, int piece)
{
    struct dtx_tile *last;

    if (runs->count > 0) {
        last = &runs->tiles[runs->count - 1];
        if (last->piece == piece && last->hi == lo) {
            last->hi = hi;
            return DTX_CUT_DONE;
        }
    }
    if (runs->count == DTX_RUNS_MAX) {
        return DTX_CUT_TOO_MANY;
    }
    if (dtx_grow(&runs->tiles, runs->count, &runs->capacity,
                 sizeof(*runs->tiles)) != 0) {
        return DTX_CUT_MEMORY;
    }
    runs->tiles[runs->count++] = (struct dtx_tile){lo, hi, 0, piece};
    return DTX_CUT_DONE;
}

/* True where the run at `index` has a part in the segment. */
static bool
in_segment(const struct cutter *c, size_t index)
{
    return index < c->from->count && c->from->tiles[index].lo < c->hi;
}

/* True where `even` can divide `total` items; else says what it can't. */
static bool
divides(const struct dtx_cut *cut, int64_t total, struct dtx_uneven *uneven_out)
{
    int64_t units;

    if (cut->split != DTX_SPLIT_EVEN || cut->edges != NULL) {
        return true;
    }
    uneven_out->is_factor = total % cut->factor != 0;
    if (uneven_out->is_factor) {
        uneven_out->count = total;
        uneven_out->parts = cut->factor;
        return false;
    }
    units = dtx_ceil_div(total / cut->factor, cut->block);
    uneven_out->count = units;
    uneven_out->parts = cut->parts;
    return units % cut->parts == 0;
}

/* Counts what each piece holds of the segment. */
static enum dtx_cut_fault
count_pieces(struct cutter *c, struct dtx_uneven *uneven_out)
{
    const struct dtx_tile *tiles = c->from->tiles;
    size_t i;

    while (c->first < c->from->count && tiles[c->first].hi <= c->lo) {
        c->first++;
    }
    for (i = c->first; in_segment(c, i); i++) {
        c->tallies[tiles[i].piece].total +=
            dtx_min(tiles[i].hi, c->hi) - dtx_max(tiles[i].lo, c->lo);
    }
    for (i = c->first; in_segment(c, i); i++) {
        if (!divides(c->cut, c->tallies[tiles[i].piece].total, uneven_out)) {
            return DTX_CUT_UNEVEN;
        }
    }
    return DTX_CUT_DONE;
}

/* Cuts the part of one run that lies in the segment. */
static enum dtx_cut_fault
cut_run(struct cutter *c, const struct dtx_tile *run)
{
    struct tally *tally = &c->tallies[run->piece];
    int64_t lo = dtx_max(run->lo, c->lo);
    int64_t hi = dtx_min(run->hi, c->hi);
    enum dtx_cut_fault fault = DTX_CUT_DONE;

    while (lo < hi && fault == DTX_CUT_DONE) {
        struct dtx_cut_part found =
            dtx_cut_part_at(c->cut, tally->total, tally->taken);
        int64_t count = dtx_min(hi - lo, found.end - tally->taken);

        fault = append(&c->to, lo, lo + count,
                       run->piece * c->cut->parts + found.part);
        tally->taken += count;
        lo += count;
    }
    return fault;
}

static enum dtx_cut_fault
cut_segment(struct cutter *c, struct dtx_uneven *uneven_out)
{
    enum dtx_cut_fault fault = count_pieces(c, uneven_out);
    size_t i;

    for (i = c->first; fault == DTX_CUT_DONE && in_segment(c, i); i++) {
        fault = cut_run(c, &c->from->tiles[i]);
    }
    for (i = c->first; in_segment(c, i); i++) {
        c->tallies[c->from->tiles[i].piece] = (struct tally){0, 0};
    }
    return fault;
}

enum dtx_cut_fault
dtx_runs_cut(struct dtx_runs *runs, const struct dtx_cut *cut,
             int segment_count, const int64_t *segments,
             struct dtx_uneven *uneven_out)
{
    struct cutter c = {.cut = cut, .from = runs};
    enum dtx_cut_fault fault = DTX_CUT_DONE;
    int i;

    c.tallies = dtx_alloc((size_t)runs->piece_count, sizeof(*c.tallies));
    if (c.tallies == NULL) {
        return DTX_CUT_MEMORY;
    }
    c.to.piece_count = runs->piece_count * cut->parts;
    c.hi = runs->count > 0 ? runs->tiles[runs->count - 1].hi : 0;
    uneven_out->segment = -1;
    if (segment_count == 0) {
        fault = cut_segment(&c, uneven_out);
    } else {
        c.hi = 0;
    }
    for (i = 0; i < segment_count && fault == DTX_CUT_DONE; i++) {
        c.lo = c.hi;
        c.hi = c.lo + segments[i];
        uneven_out->segment = i;
        fault = cut_segment(&c, uneven_out);
    }
    dtx_free(c.tallies);
    if (fault != DTX_CUT_DONE) {
        dtx_runs_finish(&c.to);
        return fault;
    }
    dtx_runs_finish(runs);
    *runs = c.to;
    return DTX_CUT_DONE;
}
