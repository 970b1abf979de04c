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
#ifndef DTX_ENGINE_COMPARE_COPIES_H
#define DTX_ENGINE_COMPARE_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/compare/findings.h"
#include "engine/compare/held.h"
#include "engine/compare/turns.h"
#include "transport/transport.h"

struct copies_job {
    struct dtx_transport *transport;
    const struct dtx_readers *readers; /* NULL: all processes */
    struct held_reader *reader;
    /* What is known of each tensor. [tensor_count] */
    const uint64_t *digests;
    const bool *has_digest;
    /* What tells which shard is damaged; may be NULL. */
    const uint64_t *places;
    const bool *has_places;
    /*
     * The checkpoint isn't held against a manifest, but looked at for what it
     * is: terms of a pending reduction have values of their own, digests help
     * only to tell which copy is damaged, and what can't be read is a failure.
     */
    bool is_plain;
    const bool *wanted; /* [tensor_count] which are read; NULL: all */
    uint64_t *sums;     /* [tensor_count] set: of the first copies; may be
                           NULL */
    size_t stage_bytes; /* of the reader's stage */
    struct turns_progress *progress; /* may be NULL */
    struct findings *findings;
    int64_t copy_count;  /* set: of all processes */
    uint64_t bytes_read; /* set: by this process */
};

/* One dataset. */
struct copy {
    int tensor;
    int group; /* copies of a tensor with the same group should be equal */
    int shard; /* -1: the whole tensor */
    int position;
    int dataset;
    enum dtx_term term;
    bool is_unread; /* something of it could not be read */
    uint64_t sum;
};

/*
 * Reads all copies, this process its part of them, and adds what is damaged to
 * the findings, on all processes alike. Collective and settled.
 */
enum dtx_status engine_check_copies(struct copies_job *job,
                                    struct dtx_error *err);

/* The bytes of all copies of a tensor. */
uint64_t engine_copies_bytes(const struct dtx_holding *holding, int tensor);

/* True where a tensor has several copies of a shard. */
bool engine_has_replicas(const struct dtx_holding *holding, int tensor);

/*
 * Judges the copies of one tensor, whose sums are complete.
 *
 * copies  [count] in ascending order of group
 */
void copies_judge(struct copies_job *job, const struct copy *copies, int count);

#endif
