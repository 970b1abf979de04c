/*
 * Digests of a run: what was read, held against what is written.
 *
 * Every process sums, per tensor, a digest of the values as they are read and
 * as they are written, on the buffers that come from storage and go to it: in
 * between lie packing, messages and unpacking. Where an element is converted,
 * both ends sum the type in which it travels, and the end that converts sums
 * the other type too. Of all copies of an element the first counts, the same at
 * both ends, so that the processes' sums put together are those of the tensor.
 * The other copies are held against the first: each one's difference from it,
 * times a factor of its own, is summed, and the sum must be nothing.
 *
 * What the target gets is also summed times a factor of each shard: where one
 * shard is damaged later, both sums' errors together tell which.
 *
 * The terms of a pending reduction have no counterpart at the other end; of
 * them the first is summed, which is what a manifest's digest says of them.
 */
#ifndef DTX_ENGINE_STEP_DIGEST_H
#define DTX_ENGINE_STEP_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/limits.h"
#include "plan/step/step.h"

struct engine;

enum digest_kind {
    DIGEST_SOURCE,          /* as read, in the source's type */
    DIGEST_READ,            /* as read, in the type that travels */
    DIGEST_WRITTEN,         /* as written, in the type that travels */
    DIGEST_TARGET,          /* as written, in the target's type */
    DIGEST_STRAIGHT_READER, /* as both, where they are one buffer */
    DIGEST_STRAIGHT_WRITER,
    DIGEST_COPIES,        /* how copies, as written, differ from the first */
    DIGEST_PLACES_READER, /* as in the target, each shard times a factor of its
                             own; where reader and writer are one buffer */
    DIGEST_PLACES_WRITER,
    DIGEST_KIND_COUNT
};

struct digests {
    int tensor_count;
    /* Sums of this process, [DIGEST_KIND_COUNT * tensor_count] kind by kind;
     * the reader adds to the first two kinds, the writer to the others. */
    uint64_t *sums;
    uint64_t *targets; /* [tensor_count] once settled: the target's digests */
    uint64_t *places; /* [tensor_count] and what tells which shard is damaged */
};

/* A region while it is summed. */
struct digest_region {
    struct digests *digests;
    const struct dtx_tensor *tensor;
    const struct dtx_region *region;
    const struct dtx_slice *slices;
    enum digest_kind copied; /* of this kind all copies are compared */
    /* This kind is what the target has; DIGEST_KIND_COUNT: none is. It is
     * summed once more, times the factor of its shard. */
    enum digest_kind final, places;
    uint64_t place_factor;
    /* It is one box of the tensor, which begins at `global`, and one copy. */
    bool is_one;
    int64_t global[DTX_NDIM_MAX];
    int copy, copy_count; /* where it is one */
};

/* Local. */
enum dtx_status engine_begin_digests(struct engine *e, struct dtx_error *err);
void engine_finish_digests(struct engine *e);

/* The factor of a shard in what tells which is damaged. */
uint64_t digest_place_factor(int shard);

/* True where the source's manifest has a digest for a tensor. */
bool digest_wants_source(const struct dtx_plan *plan, int tensor);

/* copied  of this kind all copies are compared; DIGEST_KIND_COUNT: of none */
void digest_region_begin(struct digest_region *d, struct engine *e,
                         const struct dtx_region *region,
                         const struct dtx_slice *slices,
                         enum digest_kind copied);

/*
 * Adds the elements in a box of the region, as far as their copies count.
 *
 * lo, len  [ndim] relative to the region
 * data     the box, dense and row-major, elements of element_bytes
 */
void digest_region_add(const struct digest_region *d, enum digest_kind kind,
                       size_t element_bytes, const int64_t *lo,
                       const int64_t *len, const void *data);

/*
 * Gets all processes' sums of some tensors put together, tensor by tensor, and
 * leaves each its own. Collective.
 *
 * sums  [DIGEST_KIND_COUNT * count] filled on all processes
 */
enum dtx_status engine_gather_digests(struct engine *e, int first, int count,
                                      uint64_t *sums, struct dtx_error *err);

/*
 * Puts all processes' sums together, and compares. Collective and settled.
 *
 * Fails with DTX_ERR_DIGEST where a tensor's values aren't what the source's
 * manifest says, what was written isn't what was read, or copies differ.
 */
enum dtx_status engine_settle_digests(struct engine *e, struct dtx_error *err);

#endif
