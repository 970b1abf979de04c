#include "progress.h"

#include <stdio.h>

#include "report.h"
#include "util/size.h"

enum { LEFT_TEXT = 32 };

static const char *
format_left(double seconds, char *text)
{
    long whole = (long)(seconds + 0.5);

    if (whole < 60) {
        snprintf(text, LEFT_TEXT, "%ld s", whole);
    } else if (whole < 3600) {
        snprintf(text, LEFT_TEXT, "%ld min %02ld s", whole / 60, whole % 60);
    } else {
        snprintf(text, LEFT_TEXT, "%ld h %02ld min", whole / 3600,
                 whole / 60 % 60);
    }
    return text;
}

const char *
progress_format(const struct dtx_progress *progress, char *text)
{
    char done[DTX_SIZE_TEXT];
    char total[DTX_SIZE_TEXT];
    char speed[DTX_SIZE_TEXT];
    char left[LEFT_TEXT];
    double share = 1;
    double rate = 0;
    int length;

    if (progress->bytes_total > 0) {
        share = (double)progress->bytes_done / (double)progress->bytes_total;
    }
    if (progress->seconds > 0) {
        rate = (double)progress->bytes_done / progress->seconds;
    }
    length = snprintf(text, PROGRESS_TEXT, "%.1f %%, %s of %s, %s/s",
                      share * 100, dtx_size_format(progress->bytes_done, done),
                      dtx_size_format(progress->bytes_total, total),
                      dtx_size_format((uint64_t)rate, speed));
    if (rate > 0 && progress->bytes_done < progress->bytes_total) {
        double remaining =
            (double)(progress->bytes_total - progress->bytes_done);

        snprintf(text + length, PROGRESS_TEXT - (size_t)length, ", %s left",
                 format_left(remaining / rate, left));
    }
    return text;
}

dtx_progress_visit *
progress_visit(const struct arguments *arguments)
{
    return arguments->progress == PROGRESS_NONE || arguments->is_quiet
               ? NULL
               : progress_show;
}

void
progress_show(const struct dtx_progress *progress, void *context)
{
    struct progress *state = context;
    char line[PROGRESS_TEXT];

    if (progress->seconds - state->shown_seconds < PROGRESS_SECONDS) {
        return;
    }
    state->shown_seconds = progress->seconds;
    report_remark("%s", progress_format(progress, line));
}
