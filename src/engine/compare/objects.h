/*
 * Objects: datasets that are no tensors. Each is whole on every rank that has
 * it, and its values are known by a digest.
 */
#ifndef DTX_ENGINE_COMPARE_OBJECTS_H
#define DTX_ENGINE_COMPARE_OBJECTS_H

#include <stdint.h>

#include "engine/compare/findings.h"
#include "engine/compare/held.h"
#include "transport/transport.h"

struct objects_job {
    struct dtx_transport *transport;
    struct held_reader *reader;
    const bool *wanted; /* [object_count] which are read; NULL: all */
    /* What can't be read is a failure, rather than found. */
    bool is_plain;
    struct findings *findings; /* copies that aren't like the first */
    uint64_t *digests;  /* [object_count] set: of the lowest rank's copy */
    int64_t copy_count; /* set: how many were read, by all processes */
};

/* Reads all copies of all objects, this process its part of them. Collective
 * and settled. */
enum dtx_status engine_digest_objects(struct objects_job *job,
                                      struct dtx_error *err);

#endif
