/*
 * A region while it is read: what the ways in which that is done have in
 * common.
 */
#ifndef DTX_ENGINE_STEP_READING_H
#define DTX_ENGINE_STEP_READING_H

#include "engine/engine.h"
#include "engine/step/chunk.h"
#include "engine/step/element.h"

struct reading {
    struct slot *slot;
    const struct dtx_region *region;
    const struct dtx_slice *slices;
    struct element element;
    struct digest_region digest;
    int ndim;
    int dataset;
};

/* Where a slice stands in its message. */
char *reading_place(const struct slot *slot, const struct dtx_slice *slice);

/* Reads a box, relative to the region, from its dataset or shard on the host.
 * lo, len [ndim]; buffer is dense, on the host. */
enum dtx_status reading_box(const struct reading *r, const int64_t *lo,
                            const int64_t *len, void *buffer,
                            struct dtx_error *err);

/* Copies a chunk's part of one slice from a stage into its message. */
enum dtx_status reading_scatter(const struct reading *r,
                                const struct dtx_chunks *chunk,
                                const struct dtx_slice *slice,
                                const char *stage, struct dtx_error *err);

/* Says that an element of a chunk doesn't fit; element is its old value. */
enum dtx_status reading_refuse(const struct reading *r,
                               const struct dtx_chunks *chunk, int64_t bad,
                               const void *element, struct dtx_error *err);

#endif
