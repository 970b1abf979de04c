#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "util/size.h"

enum { LEFT_TEXT = 32, AMOUNT_TEXT = 128, BAR_WIDTH = 24, RATE_SECONDS = 20 };

/* Between two drawings of a bar. */
static const double bar_seconds = 0.2;

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

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

static double
share_of(const struct dtx_progress *progress)
{
    return progress->bytes_total > 0
               ? (double)progress->bytes_done / (double)progress->bytes_total
               : 1;
}

/* "6.30 GiB of 14.96 GiB, 1.23 GiB/s", or "12 of 64 files". */
static const char *
format_amount(const struct dtx_progress *progress, double rate, char *text)
{
    char sizes[3][DTX_SIZE_TEXT];

    if (progress->unit != NULL) {
        snprintf(text, AMOUNT_TEXT, "%" PRIu64 " of %" PRIu64 " %s",
                 progress->bytes_done, progress->bytes_total, progress->unit);
    } else {
        snprintf(text, AMOUNT_TEXT, "%s of %s, %s/s",
                 dtx_size_format(progress->bytes_done, sizes[0]),
                 dtx_size_format(progress->bytes_total, sizes[1]),
                 dtx_size_format((uint64_t)rate, sizes[2]));
    }
    return text;
}

const char *
progress_format(const struct dtx_progress *progress, double rate, char *text)
{
    char amount[AMOUNT_TEXT];
    char left[LEFT_TEXT];
    size_t length;

    snprintf(text, PROGRESS_TEXT, "%s%s%.1f %%, %s",
             progress->phase != NULL ? progress->phase : "",
             progress->phase != NULL ? ": " : "", share_of(progress) * 100,
             format_amount(progress, rate, amount));
    length = strlen(text);
    if (rate > 0 && progress->bytes_done < progress->bytes_total) {
        double remaining =
            (double)(progress->bytes_total - progress->bytes_done);

        snprintf(text + length, PROGRESS_TEXT - length, ", %s left",
                 format_left(remaining / rate, left));
        length = strlen(text);
    }
    if (progress->busiest != NULL) {
        snprintf(text + length, PROGRESS_TEXT - length, ", busiest with %s",
                 progress->busiest);
    }
    return text;
}

const char *
progress_format_bar(const struct dtx_progress *progress, double rate,
                    char *text)
{
    char line[PROGRESS_TEXT];
    char bar[BAR_WIDTH + 1];
    int full = (int)(share_of(progress) * BAR_WIDTH);

    for (int i = 0; i < BAR_WIDTH; i++) {
        bar[i] = i < full ? '#' : '-';
    }
    bar[BAR_WIDTH] = '\0';
    snprintf(text, PROGRESS_TEXT, "[%s] %.200s", bar,
             progress_format(progress, rate, line));
    return text;
}

double
progress_rate(struct progress *state, const struct dtx_progress *progress)
{
    double passed = progress->seconds - state->seconds;

    if (progress->bytes_done < state->done || passed < 0) {
        state->rate = 0; /* another piece of work */
    } else if (passed > 0) {
        double latest = (double)(progress->bytes_done - state->done) / passed;
        double weight = state->rate > 0 ? 1 - exp(-passed / RATE_SECONDS) : 1;

        state->rate += weight * (latest - state->rate);
    }
    state->done = progress->bytes_done;
    state->seconds = progress->seconds;
    return state->rate;
}

/* Another phase begins: what is known of the one before says nothing. */
static void
begin_phase(struct progress *state, const struct dtx_progress *progress,
            double time)
{
    *state = (struct progress){.is_bar = state->is_bar,
                               .phase = progress->phase,
                               .begin_seconds = time - progress->seconds};
}

/* Shows progress where it is time. context is a struct progress. */
static void
show(const struct dtx_progress *progress, void *context)
{
    struct progress *state = context;
    struct dtx_progress here = *progress;
    char line[PROGRESS_TEXT];
    double time = now();
    double rate;

    if (state->begin_seconds == 0 || state->phase != progress->phase) {
        begin_phase(state, progress, time);
    }
    here.seconds = time - state->begin_seconds;
    if (here.seconds - state->shown_seconds <
        (state->is_bar ? bar_seconds : PROGRESS_SECONDS)) {
        return;
    }
    state->shown_seconds = here.seconds;
    rate = progress_rate(state, &here);
    if (state->is_bar) {
        report_bar(progress_format_bar(&here, rate, line));
    } else {
        report_remark("%s", progress_format(&here, rate, line));
    }
}

dtx_progress_visit *
progress_begin(struct progress *state, const struct arguments *arguments)
{
    *state = (struct progress){0};
    if (arguments->progress == PROGRESS_NONE || arguments->is_quiet) {
        return NULL;
    }
    state->is_bar =
        arguments->progress == PROGRESS_BAR ||
        (arguments->progress == PROGRESS_AUTO && isatty(STDERR_FILENO) != 0);
    return show;
}

void
progress_end(const struct progress *state)
{
    if (state->is_bar) {
        report_bar(NULL);
    }
}
