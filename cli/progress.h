/*
 * Progress of a run, in plain lines on standard error.
 */
#ifndef DTX_CLI_PROGRESS_H
#define DTX_CLI_PROGRESS_H

#include <dtx/progress.h>

#include "options.h"

enum { PROGRESS_SECONDS = 10, PROGRESS_TEXT = 160 };

/* `= {0}` is the beginning of a run. */
struct progress {
    double shown_seconds; /* when the last line was shown */
};

/* What shows progress as the arguments want it; NULL: nothing is shown. */
dtx_progress_visit *progress_visit(const struct arguments *arguments);

/* Shows a line where the last is PROGRESS_SECONDS ago. context is a
 * struct progress. */
dtx_progress_visit progress_show;

/* "42.1 %, 6.30 GiB of 14.96 GiB, 1.23 GiB/s, 7 s left"; text must have room
 * for PROGRESS_TEXT. Returns text. */
const char *progress_format(const struct dtx_progress *progress, char *text);

#endif
