/*
 * Runs: the stored indices of one dim, cut axis by axis.
 *
 * A list of runs is sorted and covers [0, stored); each run says which piece
 * holds it. Cutting by an axis makes piece p into pieces p * parts … + parts.
 * An index list that a piece holds is always ascending, whatever the cuts:
 * that is why one walk over the sorted runs cuts all pieces at once, in
 * O(runs), and the result is sorted again.
 */
#ifndef DTX_LAYOUT_RUNS_H
#define DTX_LAYOUT_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/split.h"
#include "layout/tiling.h"

enum {
    DTX_RUNS_MAX = 1 << 22, /* in one dim; 128 MiB of tiles */
};

struct dtx_runs {
    struct dtx_tile *tiles; /* `local` is not used; owned */
    size_t count;
    size_t capacity;
    int piece_count;
};

enum dtx_cut_fault {
    DTX_CUT_DONE,
    DTX_CUT_MEMORY,
    DTX_CUT_TOO_MANY, /* more than DTX_RUNS_MAX */
    DTX_CUT_UNEVEN,   /* `even`, and a piece doesn't divide */
};

/* Where `even` doesn't divide. */
struct dtx_uneven {
    int64_t count; /* items, or units of a block, that were to be divided */
    int64_t parts; /* coordinates, or chunks where is_factor */
    bool is_factor;
    int segment; /* -1: there are none */
};

/* One piece that holds all; false when out of memory. */
bool dtx_runs_start(struct dtx_runs *runs, int64_t stored);

/*
 * Cuts every piece by one axis.
 *
 * segments  [segment_count] lengths that sum to the stored extent; each is
 *           cut on its own. 0 of them: the whole is cut as one.
 *
 * On a fault the runs are as they were.
 */
enum dtx_cut_fault dtx_runs_cut(struct dtx_runs *runs,
                                const struct dtx_cut *cut, int segment_count,
                                const int64_t *segments,
                                struct dtx_uneven *uneven_out);

void dtx_runs_finish(struct dtx_runs *runs);

#endif
