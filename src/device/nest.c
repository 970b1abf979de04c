#include "device/nest.h"

/* Widens the run by a loop that is contiguous with it, if it is. */
static bool
joins_run(struct dtx_nest *nest, const struct dtx_loop *loop)
{
    if (nest->loop_count > 0 || loop->dst_stride != nest->run_bytes ||
        loop->src_stride != nest->run_bytes) {
        return false;
    }
    nest->run_bytes *= loop->count;
    return true;
}

/* Lengthens the outermost loop so far by one that continues it. */
static bool
joins_loop(struct dtx_nest *nest, const struct dtx_loop *loop)
{
    struct dtx_loop *inner;

    if (nest->loop_count == 0) {
        return false;
    }
    inner = &nest->loops[nest->loop_count - 1];
    if (loop->dst_stride != inner->count * inner->dst_stride ||
        loop->src_stride != inner->count * inner->src_stride) {
        return false;
    }
    inner->count *= loop->count;
    return true;
}

static void
add_loop(struct dtx_nest *nest, struct dtx_loop loop)
{
    if (!joins_run(nest, &loop) && !joins_loop(nest, &loop)) {
        nest->loops[nest->loop_count] = loop;
        nest->loop_count++;
    }
}

/* A stride of an array: its own, or what the dims inside it make. */
static size_t
stride_of(const int64_t *strides, int d, size_t dense)
{
    return strides != NULL ? (size_t)strides[d] : dense;
}

bool
dtx_nest_make(const struct dtx_box_copy *copy, struct dtx_nest *nest)
{
    size_t dst_dense = copy->element_bytes;
    size_t src_dense = copy->element_bytes;

    nest->run_bytes = copy->element_bytes;
    nest->loop_count = 0;
    nest->dst_offset = 0;
    nest->src_offset = 0;
    for (int d = copy->ndim - 1; d >= 0; d--) {
        size_t dst_stride = stride_of(copy->dst_strides, d, dst_dense);
        size_t src_stride = stride_of(copy->src_strides, d, src_dense);

        if (copy->len[d] == 0) {
            return false;
        }
        nest->dst_offset += (size_t)copy->dst_lo[d] * dst_stride;
        nest->src_offset += (size_t)copy->src_lo[d] * src_stride;
        if (copy->len[d] > 1) {
            add_loop(nest, (struct dtx_loop){.count = (size_t)copy->len[d],
                                             .dst_stride = dst_stride,
                                             .src_stride = src_stride});
        }
        dst_dense *= copy->dst_strides == NULL ? (size_t)copy->dst_shape[d] : 1;
        src_dense *= copy->src_strides == NULL ? (size_t)copy->src_shape[d] : 1;
    }
    return true;
}
