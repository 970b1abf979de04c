/*
 * Chunks: a box cut into smaller boxes of bounded size, in row-major order.
 * Each chunk takes whole inner dims where they fit.
 */
#ifndef DTX_ENGINE_STEP_CHUNK_H
#define DTX_ENGINE_STEP_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/limits.h"

struct dtx_chunks {
    int ndim;
    const int64_t *shape; /* [ndim] of the box; borrowed */
    int64_t size[DTX_NDIM_MAX];
    int64_t lo[DTX_NDIM_MAX]; /* the current chunk */
    int64_t len[DTX_NDIM_MAX];
    bool started;
};

/* Begins to cut; element_limit >= 1 is the most a chunk may hold. */
void dtx_chunks_begin(struct dtx_chunks *chunks, int ndim, const int64_t *shape,
                      int64_t element_limit);

/* Sets lo and len to the next chunk; false at the end. */
bool dtx_chunks_next(struct dtx_chunks *chunks);

/* Elements of the current chunk. */
int64_t dtx_chunks_count(const struct dtx_chunks *chunks);

/*
 * The box that the current chunk and another box of the same indices share.
 * lo_out, len_out [ndim]; false where they share nothing.
 */
bool dtx_chunks_meet(const struct dtx_chunks *chunks, const int64_t *lo,
                     const int64_t *len, int64_t *lo_out, int64_t *len_out);

#endif
