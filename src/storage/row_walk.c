#include "storage/row_walk.h"

/*
 * Puts the box's dims that aren't in the run, innermost first, into lengths
 * and strides, neighbours merged where they stand at one distance. Sets the
 * run, the box's offset and whether it is empty. Returns how many.
 */
static int
collect(struct dtx_row_walk *walk, int ndim, const int64_t *shape,
        const int64_t *lo, const int64_t *len, size_t size, int64_t *lengths,
        uint64_t *strides)
{
    uint64_t stride = size;
    int count = 0;
    int d;

    for (d = ndim - 1; d >= 0; d--) {
        if (len[d] == 0) {
            walk->is_done = true;
        }
        walk->offset += (uint64_t)lo[d] * stride;
        if (len[d] == 1) {
            /* no distance to speak of */
        } else if (count == 0 && stride == walk->run_bytes) {
            walk->run_bytes *= (size_t)len[d];
        } else if (count > 0 && stride == strides[count - 1] *
                                              (uint64_t)lengths[count - 1]) {
            lengths[count - 1] *= len[d];
        } else {
            lengths[count] = len[d];
            strides[count] = stride;
            count++;
        }
        stride *= (uint64_t)shape[d];
    }
    return count;
}

void
dtx_row_walk_init(struct dtx_row_walk *walk, int ndim, const int64_t *shape,
                  const int64_t *lo, const int64_t *len, size_t size)
{
    int64_t lengths[DTX_NDIM_MAX];
    uint64_t strides[DTX_NDIM_MAX];
    int count;
    int i;

    *walk = (struct dtx_row_walk){.run_bytes = size, .run_count = 1};
    count = collect(walk, ndim, shape, lo, len, size, lengths, strides);
    if (count == 0) {
        return;
    }
    walk->run_count = lengths[0];
    walk->stride_bytes = strides[0];
    walk->outer_count = count - 1;
    for (i = 1; i < count; i++) {
        walk->outer_lengths[count - 1 - i] = lengths[i];
        walk->outer_strides[count - 1 - i] = strides[i];
    }
}

bool
dtx_row_walk_next(struct dtx_row_walk *walk, uint64_t *offset_out)
{
    int d;

    if (walk->is_done) {
        return false;
    }
    *offset_out = walk->offset;
    for (d = walk->outer_count - 1; d >= 0; d--) {
        walk->offset += walk->outer_strides[d];
        walk->outer_at[d]++;
        if (walk->outer_at[d] < walk->outer_lengths[d]) {
            return true;
        }
        walk->offset -=
            walk->outer_strides[d] * (uint64_t)walk->outer_lengths[d];
        walk->outer_at[d] = 0;
    }
    walk->is_done = true;
    return true;
}
