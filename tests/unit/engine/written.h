/*
 * Targets that were written in memory, to be looked at, whole or damaged.
 */
#ifndef TESTS_ENGINE_WRITTEN_H
#define TESTS_ENGINE_WRITTEN_H

#include "job.h"
#include "support/claim.h"

/* A target that was written, and its manifest. */
struct written {
    struct layout_case text;
    struct job job;
    struct dtx_layout *manifest;
    struct dtx_diagnostics *list;
    bool is_there;
};

void write_target(struct random *random, struct written *w);
void forget_target(struct written *w);

/* A dataset of the target, picked at random, whose value was changed. */
struct damage {
    struct written *written;
    struct random *random;
    uint64_t seen; /* datasets that could be picked */
    char file[256], path[256];
    int tensor, position;
    int64_t element; /* of the tensor */
    size_t at;       /* of the element in the dataset, in bytes */
};

/* Changes a bit of a random element; false where there is none. */
bool damage(struct random *random, struct written *w, struct damage *d);

#endif
