/*
 * Progress on standard error: a plain line now and then, or one line that is
 * drawn anew.
 */
#ifndef DTX_CLI_PROGRESS_H
#define DTX_CLI_PROGRESS_H

#include <dtx/progress.h>

#include "options.h"

enum { PROGRESS_SECONDS = 10, PROGRESS_TEXT = 256 };

/* `= {0}` is the beginning of a run. */
struct progress {
    bool is_bar;
    const char *phase;    /* of the last call */
    double begin_seconds; /* of the phase, on this process's clock; 0: none */
    double shown_seconds; /* since then, when it was last shown */
    /* The rate is an average in which the last seconds weigh most. */
    uint64_t done;
    double seconds;
    double rate; /* 0: not known yet */
};

/* Begins to show progress as the arguments want it. Returns what does so,
 * with the state as its context; NULL: nothing is shown. */
dtx_progress_visit *progress_begin(struct progress *state,
                                   const struct arguments *arguments);

/* Takes the bar away, if there is one. */
void progress_end(const struct progress *state);

/* The rate after one more report, in units a second. */
double progress_rate(struct progress *state,
                     const struct dtx_progress *progress);

/* "42.1 %, 6.30 GiB of 14.96 GiB, 1.23 GiB/s, 7 s left, busiest with writing";
 * text must have room for PROGRESS_TEXT. Returns text. */
const char *progress_format(const struct dtx_progress *progress, double rate,
                            char *text);

/* The same behind "[#####-----] ". */
const char *progress_format_bar(const struct dtx_progress *progress,
                                double rate, char *text);

#endif
