#include "layout/box.h"

#include "util/math.h"

int64_t
dtx_shape_count(int ndim, const int64_t *shape)
{
    int64_t count = 1;
    int dim;

    /* An empty tensor has no element, however long its other dims are. */
    for (dim = 0; dim < ndim; dim++) {
        if (shape[dim] == 0) {
            return 0;
        }
    }
    for (dim = 0; dim < ndim; dim++) {
        if (dtx_mul_overflows(count, shape[dim], &count)) {
            return -1;
        }
    }
    return count;
}

int64_t
dtx_box_count(const struct dtx_box *box)
{
    int64_t count = 1;
    int dim;

    if (dtx_box_is_empty(box)) {
        return 0;
    }
    for (dim = 0; dim < box->ndim; dim++) {
        count *= box->hi[dim] - box->lo[dim];
    }
    return count;
}

bool
dtx_box_is_empty(const struct dtx_box *box)
{
    int dim;

    for (dim = 0; dim < box->ndim; dim++) {
        if (box->lo[dim] >= box->hi[dim]) {
            return true;
        }
    }
    return false;
}

bool
dtx_box_intersect(const struct dtx_box *a, const struct dtx_box *b,
                  struct dtx_box *out)
{
    int dim;

    for (dim = 0; dim < a->ndim; dim++) {
        if (dtx_max(a->lo[dim], b->lo[dim]) >=
            dtx_min(a->hi[dim], b->hi[dim])) {
            return false;
        }
    }
    out->ndim = a->ndim;
    for (dim = 0; dim < a->ndim; dim++) {
        int64_t lo = dtx_max(a->lo[dim], b->lo[dim]);
        int64_t hi = dtx_min(a->hi[dim], b->hi[dim]);

        out->lo[dim] = lo;
        out->hi[dim] = hi;
    }
    return true;
}
