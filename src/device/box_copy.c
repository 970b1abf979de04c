#include "device/box_copy.h"

#include <stdbool.h>
#include <string.h>

#include "layout/limits.h"

/* Rows so far apart are asked for so many rows ahead: the hardware doesn't
 * foresee them. */
enum { FAR_BYTES = 1024, AHEAD = 16 };

/* One loop of the copy: how often, and how far each side moves, in bytes. */
struct loop {
    size_t count;
    size_t dst_stride;
    size_t src_stride;
};

/*
 * A copy as nested loops around a contiguous run. Loops that are contiguous
 * with the run are part of it, and loops that continue one another are one.
 */
struct nest {
    size_t run_bytes;
    int loop_count;
    struct loop loops[DTX_NDIM_MAX]; /* innermost first */
    size_t dst_offset;               /* bytes from the array to the box */
    size_t src_offset;
};

/* Widens the run by a loop that is contiguous with it, if it is. */
static bool
joins_run(struct nest *nest, const struct loop *loop)
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
joins_loop(struct nest *nest, const struct loop *loop)
{
    struct loop *inner;

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
add_loop(struct nest *nest, struct loop loop)
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

/* False where the box is empty. */
static bool
make_nest(const struct dtx_box_copy *copy, struct nest *nest)
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
            add_loop(nest, (struct loop){.count = (size_t)copy->len[d],
                                         .dst_stride = dst_stride,
                                         .src_stride = src_stride});
        }
        dst_dense *= copy->dst_strides == NULL ? (size_t)copy->dst_shape[d] : 1;
        src_dense *= copy->src_strides == NULL ? (size_t)copy->src_shape[d] : 1;
    }
    return true;
}

/*
 * The two innermost loops around a run of `bytes`, moved as two pieces of
 * `piece` bytes, the second at its end: they overlap where the run isn't twice
 * the piece, and are one where it is the piece. A piece that the compiler
 * knows becomes plain loads and stores.
 */
static inline void
copy_plane(char *dst, const char *src, const struct nest *nest, size_t piece)
{
    struct loop rows = nest->loops[0];
    struct loop planes = nest->loops[1];
    size_t second = nest->run_bytes - piece;
    size_t ahead = rows.src_stride >= FAR_BYTES ? AHEAD * rows.src_stride : 0;

    for (size_t j = 0; j < planes.count; j++) {
        char *to = dst + j * planes.dst_stride;
        const char *from = src + j * planes.src_stride;

        for (size_t i = 0; i < rows.count; i++) {
            __builtin_prefetch((const void *)((uintptr_t)from + ahead));
            memcpy(to, from, piece);
            if (second > 0) {
                memcpy(to + second, from + second, piece);
            }
            to += rows.dst_stride;
            from += rows.src_stride;
        }
    }
}

static void
copy_plane_1(char *dst, const char *src, const struct nest *nest)
{
    copy_plane(dst, src, nest, 1);
}

static void
copy_plane_2(char *dst, const char *src, const struct nest *nest)
{
    copy_plane(dst, src, nest, 2);
}

static void
copy_plane_4(char *dst, const char *src, const struct nest *nest)
{
    copy_plane(dst, src, nest, 4);
}

static void
copy_plane_8(char *dst, const char *src, const struct nest *nest)
{
    copy_plane(dst, src, nest, 8);
}

static void
copy_plane_16(char *dst, const char *src, const struct nest *nest)
{
    copy_plane(dst, src, nest, 16);
}

static void
copy_plane_32(char *dst, const char *src, const struct nest *nest)
{
    copy_plane(dst, src, nest, 32);
}

static void
copy_plane_long(char *dst, const char *src, const struct nest *nest)
{
    copy_plane(dst, src, nest, nest->run_bytes);
}

typedef void plane_copier(char *dst, const char *src, const struct nest *nest);

static plane_copier *
pick_copier(size_t run_bytes)
{
    static const struct {
        size_t longest; /* twice the piece */
        plane_copier *copy;
    } copiers[] = {
        {1, copy_plane_1},  {3, copy_plane_2},   {7, copy_plane_4},
        {15, copy_plane_8}, {31, copy_plane_16}, {64, copy_plane_32},
    };

    for (size_t i = 0; i < sizeof(copiers) / sizeof(copiers[0]); i++) {
        if (run_bytes <= copiers[i].longest) {
            return copiers[i].copy;
        }
    }
    return copy_plane_long;
}

/* Steps the loops beyond the two innermost; false after the last. */
static bool
step_outer(const struct nest *nest, size_t *index, char **dst, const char **src)
{
    for (int d = 2; d < nest->loop_count; d++) {
        const struct loop *loop = &nest->loops[d];

        *dst += loop->dst_stride;
        *src += loop->src_stride;
        index[d]++;
        if (index[d] < loop->count) {
            return true;
        }
        *dst -= loop->count * loop->dst_stride;
        *src -= loop->count * loop->src_stride;
        index[d] = 0;
    }
    return false;
}

void
dtx_box_copy(const struct dtx_box_copy *copy, void *dst, const void *src)
{
    struct nest nest;
    size_t index[DTX_NDIM_MAX] = {0};
    plane_copier *copy_one;
    char *to;
    const char *from;

    if (!make_nest(copy, &nest)) {
        return;
    }
    for (int d = nest.loop_count; d < 2; d++) {
        nest.loops[d] = (struct loop){.count = 1};
    }
    copy_one = pick_copier(nest.run_bytes);
    to = (char *)dst + nest.dst_offset;
    from = (const char *)src + nest.src_offset;
    do {
        copy_one(to, from, &nest);
    } while (step_outer(&nest, index, &to, &from));
}
