/*
 * Progress: how far something that takes long has come.
 */
#ifndef DTX_PROGRESS_H
#define DTX_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is under way. Sums over all processes. */
struct dtx_progress {
    uint64_t bytes_done; /* of the bytes to be written, or to be read where
                            nothing is */
    uint64_t bytes_total;
    double seconds;
    const char *phase;   /* what is done, "planning"; NULL: the work itself */
    const char *unit;    /* what is counted in place of bytes, "files"; NULL */
    const char *busiest; /* what takes longest on process 0: "reading",
                            "writing" or "messages"; NULL: not known */
};

/* Called on process 0 only, from the calling thread, about once a second. */
typedef void dtx_progress_visit(const struct dtx_progress *progress,
                                void *context);

#ifdef __cplusplus
}
#endif
#endif
