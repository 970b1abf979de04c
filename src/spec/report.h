/*
 * Reports: the mistakes of one file, gathered while it is read.
 *
 * A file is read idea by idea, not line by line; so the mistakes are kept
 * and handed over in the order of their places.
 */
#ifndef DTX_SPEC_REPORT_H
#define DTX_SPEC_REPORT_H

#include <stdbool.h>

#include <dtx/status.h>

#include "util/arena.h"
#include "util/diagnostic.h"

/* Mistakes kept of one file, more than are ever drawn; others are counted. */
enum { SPEC_REPORT_MAX = 1000 };

struct spec_report {
    struct dtx_arena arena; /* of the strings */
    const char *file;
    const char *text;
    struct dtx_diagnostic *items;
    size_t count;
    size_t capacity;
    int error_count;
    size_t extra_count;          /* mistakes beyond those kept */
    struct dtx_diagnostic spare; /* takes what is not kept */
    bool failed;                 /* out of memory */
};

/*
 * Adds a mistake. The result takes label, help and a second place; it stands
 * until the next one is added. Never NULL.
 */
struct dtx_diagnostic *spec_error(struct spec_report *report, const char *code,
                                  struct dtx_mark mark, const char *format, ...)
    DTX_PRINTF(4, 5);
struct dtx_diagnostic *spec_warning(struct spec_report *report,
                                    const char *code, struct dtx_mark mark,
                                    const char *format, ...) DTX_PRINTF(4, 5);

/* A string that lives as long as the report; "" when out of memory. */
const char *spec_format(struct spec_report *report, const char *format, ...)
    DTX_PRINTF(2, 3);

/* "did you mean 'x'?" where a known word is close, else the known words. */
const char *spec_did_you_mean(struct spec_report *report, const char *word,
                              const char *const *known, int count);

/* DTX_OK where there are none, DTX_ERR_INVALID where there are, DTX_ERR_LIMIT
 * when out of memory. */
enum dtx_status spec_report_status(const struct spec_report *report,
                                   struct dtx_error *err);

/* Hands all mistakes to a list, in the order of their places. */
void spec_report_deliver(struct spec_report *report,
                         struct dtx_diagnostics *list);
void spec_report_finish(struct spec_report *report);

#endif
