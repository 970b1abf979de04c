/*
 * Stores: tensors that are where dtx can't see them.
 *
 * A program whose shards aren't arrays (they are made while they are asked for,
 * packed in a format of its own, or on a medium of its own) gives dtx two
 * calls instead, which read and write boxes of them.
 */
#ifndef DTX_STORE_H
#define DTX_STORE_H

#include <stdint.h>

#include <dtx/dtype.h>
#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A box of one rank's shard. Borrowed for the call. */
struct dtx_store_box {
    const char *tensor; /* its name on this end of the plan */
    int64_t rank;       /* of this end's mesh */
    enum dtx_dtype dtype;
    int ndim;
    const int64_t *lo;  /* [ndim] in the shard's own indices, in elements */
    const int64_t *len; /* [ndim] */
};

/*
 * The calls of a program. Made from the thread that runs the exchange, one at a
 * time; no box is empty, none leaves its shard, and boxes of one exchange don't
 * overlap unless several ranks need them. A call that fails sets err's message
 * (and nothing else of it) and returns its status; the exchange then fails on
 * all processes.
 */
struct dtx_store {
    void *context;
    /* Fills the buffer, dense and row-major. NULL: nothing can be read. */
    enum dtx_status (*read)(void *context, const struct dtx_store_box *box,
                            void *buffer, struct dtx_error *err);
    /* Takes the box from the buffer. NULL: nothing can be written. */
    enum dtx_status (*write)(void *context, const struct dtx_store_box *box,
                             const void *buffer, struct dtx_error *err);
};

#ifdef __cplusplus
}
#endif
#endif
