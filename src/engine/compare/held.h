/*
 * Reading a checkpoint that is only looked at, tensor by tensor.
 *
 * What is read is a box of the tensor, put together from the shards that hold
 * parts of it, with pending reductions carried out.
 */
#ifndef DTX_ENGINE_COMPARE_HELD_H
#define DTX_ENGINE_COMPARE_HELD_H

#include "plan/bind/holding.h"
#include "storage/storage.h"
#include "util/arena.h"

/* One checkpoint and what reads it. `= {0}` with storage and holding set. */
struct held_reader {
    struct dtx_storage *storage; /* its catalog is the holding's */
    const struct dtx_holding *holding;
    char *stage; /* borrowed; as large as the largest box without its terms */
    struct dtx_arena paths; /* scratch */
    struct dtx_arena ranges;
};

/* The bytes that one element of a tensor takes in a box: those of all its
 * terms. */
size_t held_element_bytes(const struct dtx_held *held);

/*
 * The dataset with a position's shard of a tensor; -1 for an empty shard that
 * was left out.
 */
enum dtx_status held_find(struct held_reader *reader, int tensor, int position,
                          int *dataset_out, struct dtx_error *err);

/*
 * Reads a box of a tensor, in the tensor's own type.
 *
 * lo, len  [ndim] global, not empty
 * box      room for the elements with all their terms; the values come first,
 *          dense and row-major
 *
 * Fails with DTX_ERR_SOURCE; the error names tensor and rank.
 */
enum dtx_status held_read(struct held_reader *reader, int tensor,
                          const int64_t *lo, const int64_t *len, char *box,
                          struct dtx_error *err);

/* Says in an error which tensor and rank it is about. */
void held_describe(const struct dtx_holding *holding, int tensor, int position,
                   struct dtx_error *err);

void held_reader_finish(struct held_reader *reader);

#endif
