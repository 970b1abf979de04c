/*
 * Copies: every dataset of a checkpoint, read and summed.
 *
 * Each rank's shard is a copy of a part of its tensor. Its sum is what it adds
 * to the tensor's digest: copies of one shard must have the same, and one of
 * each shard put together must give the digest. So it shows which copy is
 * damaged where there is a sound one, and where a tensor isn't sharded; else
 * only that the tensor is.
 *
 * What a pending sum or product leaves beside its value isn't part of the
 * tensor: such a copy is summed as its difference from zeros or ones, which
 * must be nothing.
 */
#ifndef DTX_ENGINE_COPIES_H
#define DTX_ENGINE_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/findings.h"
#include "engine/held.h"
#include "transport/transport.h"

struct copies_job {
    struct dtx_transport *transport;
    const struct dtx_readers *readers; /* NULL: all processes */
    struct held_reader *reader;
    /* What is known of each tensor. [tensor_count] */
    const uint64_t *digests;
    const bool *has_digest;
    size_t stage_bytes; /* of the reader's stage */
    struct findings *findings;
    int64_t copy_count;  /* set: of all processes */
    uint64_t bytes_read; /* set: by this process */
};

enum copy_kind { COPY_VALUE, COPY_ZEROS, COPY_ONES };

/* One dataset. */
struct copy {
    int tensor;
    int group; /* copies of a tensor with the same group should be equal */
    int shard; /* -1: the whole tensor */
    int position;
    int dataset;
    enum copy_kind kind;
    bool is_unread; /* something of it could not be read */
    uint64_t sum;
};

/*
 * Reads all copies, this process its part of them, and adds what is damaged to
 * the findings, on all processes alike. Collective and settled.
 */
enum dtx_status engine_check_copies(struct copies_job *job,
                                    struct dtx_error *err);

/*
 * Judges the copies of one tensor, whose sums are complete.
 *
 * copies  [count] in ascending order of group
 */
void copies_judge(struct copies_job *job, const struct copy *copies, int count);

#endif
