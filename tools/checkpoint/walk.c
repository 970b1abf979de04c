#include "walk.h"

#include "util/math.h"

void
walk_begin(struct walk *walk, int ndim, const int64_t *shape, int64_t most)
{
    int64_t inner = 1;

    *walk = (struct walk){.ndim = ndim, .shape = shape, .step = 1, .count = 1};
    for (int d = 0; d < ndim; d++) {
        walk->len[d] = 1;
    }
    for (walk->cut = ndim - 1; walk->cut > 0; walk->cut--) {
        if (inner * shape[walk->cut] > most) {
            break;
        }
        inner *= shape[walk->cut];
        walk->len[walk->cut] = shape[walk->cut];
    }
    if (ndim > 0) {
        walk->step = dtx_min(dtx_max(most / inner, 1), shape[walk->cut]);
        walk->count = inner;
    }
}

/* The part of the cut dim from lo on, and the count with it. */
static void
set_length(struct walk *walk)
{
    int64_t inner = walk->count / walk->len[walk->cut];
    int64_t left = walk->shape[walk->cut] - walk->lo[walk->cut];

    walk->len[walk->cut] = dtx_min(walk->step, left);
    walk->count = inner * walk->len[walk->cut];
}

bool
walk_next(struct walk *walk)
{
    int d = walk->cut;

    if (walk->ndim == 0) {
        bool is_first = !walk->has_begun;

        walk->has_begun = true;
        return is_first;
    }
    if (walk->has_begun) {
        walk->lo[d] += walk->len[d];
        while (walk->lo[d] == walk->shape[d]) {
            if (d == 0) {
                return false;
            }
            walk->lo[d--] = 0;
            walk->lo[d]++;
        }
    }
    walk->has_begun = true;
    set_length(walk);
    return true;
}
