#include "device/box_copy.h"

#include <stdbool.h>
#include <string.h>

#include "device/nest.h"
#include "device/stream.h"

/* Rows so far apart are asked for so many rows ahead: the hardware doesn't
 * foresee them. */
enum { FAR_BYTES = 1024, AHEAD = 16 };

/* Boxes of so much, in runs of so much, go past the caches. */
enum { STREAM_BYTES = 8 << 20, STREAM_RUN_BYTES = 256 };

/*
 * The two innermost loops around a run of `bytes`, moved as two pieces of
 * `piece` bytes, the second at its end: they overlap where the run isn't twice
 * the piece, and are one where it is the piece. A piece that the compiler
 * knows becomes plain loads and stores.
 */
static inline void
copy_plane(char *dst, const char *src, const struct dtx_nest *nest,
           size_t piece)
{
    struct dtx_loop rows = nest->loops[0];
    struct dtx_loop planes = nest->loops[1];
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
copy_plane_1(char *dst, const char *src, const struct dtx_nest *nest)
{
    copy_plane(dst, src, nest, 1);
}

static void
copy_plane_2(char *dst, const char *src, const struct dtx_nest *nest)
{
    copy_plane(dst, src, nest, 2);
}

static void
copy_plane_4(char *dst, const char *src, const struct dtx_nest *nest)
{
    copy_plane(dst, src, nest, 4);
}

static void
copy_plane_8(char *dst, const char *src, const struct dtx_nest *nest)
{
    copy_plane(dst, src, nest, 8);
}

static void
copy_plane_16(char *dst, const char *src, const struct dtx_nest *nest)
{
    copy_plane(dst, src, nest, 16);
}

static void
copy_plane_32(char *dst, const char *src, const struct dtx_nest *nest)
{
    copy_plane(dst, src, nest, 32);
}

static void
copy_plane_long(char *dst, const char *src, const struct dtx_nest *nest)
{
    copy_plane(dst, src, nest, nest->run_bytes);
}

static void
copy_plane_streaming(char *dst, const char *src, const struct dtx_nest *nest)
{
    struct dtx_loop rows = nest->loops[0];
    struct dtx_loop planes = nest->loops[1];

    for (size_t j = 0; j < planes.count; j++) {
        for (size_t i = 0; i < rows.count; i++) {
            dtx_stream_copy(dst + j * planes.dst_stride + i * rows.dst_stride,
                            src + j * planes.src_stride + i * rows.src_stride,
                            nest->run_bytes);
        }
    }
}

typedef void plane_copier(char *dst, const char *src,
                          const struct dtx_nest *nest);

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

static bool
is_streamed(const struct dtx_nest *nest)
{
    size_t bytes = nest->run_bytes;

    for (int d = 0; d < nest->loop_count; d++) {
        bytes *= nest->loops[d].count;
    }
    return bytes >= STREAM_BYTES && nest->run_bytes >= STREAM_RUN_BYTES;
}

/* Steps the loops beyond the two innermost; false after the last. */
static bool
step_outer(const struct dtx_nest *nest, size_t *index, char **dst,
           const char **src)
{
    for (int d = 2; d < nest->loop_count; d++) {
        const struct dtx_loop *loop = &nest->loops[d];

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
    struct dtx_nest nest;
    size_t index[DTX_NDIM_MAX] = {0};
    plane_copier *copy_one;
    bool streams;
    char *to;
    const char *from;

    if (!dtx_nest_make(copy, &nest)) {
        return;
    }
    for (int d = nest.loop_count; d < 2; d++) {
        nest.loops[d] = (struct dtx_loop){.count = 1};
    }
    streams = is_streamed(&nest);
    copy_one = streams ? copy_plane_streaming : pick_copier(nest.run_bytes);
    to = (char *)dst + nest.dst_offset;
    from = (const char *)src + nest.src_offset;
    do {
        copy_one(to, from, &nest);
    } while (step_outer(&nest, index, &to, &from));
    if (streams) {
        dtx_stream_end();
    }
}
