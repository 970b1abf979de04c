#include "layout/shape.h"

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
