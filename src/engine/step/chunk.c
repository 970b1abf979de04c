#include "engine/step/chunk.h"

#include "util/math.h"

void
dtx_chunks_begin(struct dtx_chunks *chunks, int ndim, const int64_t *shape,
                 int64_t element_limit)
{
    int dim;

    chunks->ndim = ndim;
    chunks->shape = shape;
    chunks->started = false;
    for (dim = ndim - 1; dim >= 0; dim--) {
        chunks->size[dim] = dtx_max(1, dtx_min(shape[dim], element_limit));
        element_limit /= chunks->size[dim];
        chunks->lo[dim] = 0;
        chunks->len[dim] = chunks->size[dim];
    }
}

bool
dtx_chunks_next(struct dtx_chunks *chunks)
{
    int dim;

    if (!chunks->started) {
        chunks->started = true;
        return true;
    }
    for (dim = chunks->ndim - 1; dim >= 0; dim--) {
        chunks->lo[dim] += chunks->size[dim];
        if (chunks->lo[dim] < chunks->shape[dim]) {
            chunks->len[dim] = dtx_min(chunks->size[dim],
                                       chunks->shape[dim] - chunks->lo[dim]);
            return true;
        }
        chunks->lo[dim] = 0;
        chunks->len[dim] = chunks->size[dim];
    }
    return false;
}

int64_t
dtx_chunks_count(const struct dtx_chunks *chunks)
{
    int64_t count = 1;
    int dim;

    for (dim = 0; dim < chunks->ndim; dim++) {
        count *= chunks->len[dim];
    }
    return count;
}

bool
dtx_chunks_meet(const struct dtx_chunks *chunks, const int64_t *lo,
                const int64_t *len, int64_t *lo_out, int64_t *len_out)
{
    int dim;

    for (dim = 0; dim < chunks->ndim; dim++) {
        int64_t begin = dtx_max(lo[dim], chunks->lo[dim]);
        int64_t end =
            dtx_min(lo[dim] + len[dim], chunks->lo[dim] + chunks->len[dim]);

        if (begin >= end) {
            return false;
        }
        lo_out[dim] = begin;
        len_out[dim] = end - begin;
    }
    return true;
}
