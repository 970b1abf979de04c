/*
 * A region while it is written: what the ways in which that is done have in
 * common.
 */
#ifndef DTX_ENGINE_STEP_WRITING_H
#define DTX_ENGINE_STEP_WRITING_H

#include "engine/engine.h"
#include "engine/step/chunk.h"
#include "engine/step/element.h"

struct writing {
    struct slot *slot;
    const struct dtx_region *region;
    const struct dtx_slice *slices;
    struct element element;
    struct digest_region digest;
    int ndim;
};

/* Where a slice stands in its message. */
const char *writing_place(const struct slot *slot,
                          const struct dtx_slice *slice);

/* Writes a box, relative to the region, to all of its datasets or shards.
 * buffer is dense, on the host. */
enum dtx_status writing_box(const struct writing *w, const int64_t *lo,
                            const int64_t *len, const void *buffer,
                            struct dtx_error *err);

/* Gathers all slices of a chunk in a stage; each term has a place of its own.
 */
enum dtx_status writing_gather(const struct writing *w,
                               const struct dtx_chunks *chunk, char *stage,
                               struct dtx_error *err);

/* Copies a dense box, relative to the region, to where the shard is kept. */
enum dtx_status writing_keep(const struct writing *w, const int64_t *lo,
                             const int64_t *len, const char *buffer,
                             struct dtx_error *err);

/* Says which element of a chunk an error is about. */
void writing_describe(const struct writing *w, const struct dtx_chunks *chunk,
                      int64_t at, struct dtx_error *err);

/* True where all of a region's shards are arrays in the device's memory. */
bool writing_has_arrays(const struct writing *w);

#endif
