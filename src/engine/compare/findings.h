/*
 * Findings: what is damaged, collected while a checkpoint is verified.
 */
#ifndef DTX_ENGINE_COMPARE_FINDINGS_H
#define DTX_ENGINE_COMPARE_FINDINGS_H

#include <dtx/verify.h>

#include "util/arena.h"

/* `= {0}` is empty. */
struct findings {
    struct dtx_arena arena; /* of all strings */
    struct dtx_finding *array;
    size_t count, capacity;
    bool failed; /* out of memory */
};

/* Adds one; the strings are copied. */
void findings_add(struct findings *findings, const char *tensor,
                  const char *file, int64_t rank, const char *format, ...)
    DTX_PRINTF(5, 6);
void findings_finish(struct findings *findings);

#endif
