/*
 * What has changed since the run that a journal is of.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dtx/version.h>

#include "engine/commit/journal.h"
#include "engine/commit/journal_lines.h"
#include "util/error.h"

static enum dtx_status
refuse_version(const char *then, struct dtx_error *err)
{
    return dtx_error_set(err, DTX_ERR_INVALID,
                         "the interrupted run was one of another version of "
                         "dtx (%.*s), this is %s",
                         (int)journal_line_length(then), then, dtx_version());
}

static enum dtx_status
refuse_layout(const struct dtx_layout *layout, const char *side,
              struct dtx_error *err)
{
    return dtx_error_set(err, DTX_ERR_INVALID,
                         "the %s's layout '%s' is not what it was when the "
                         "run was interrupted",
                         side, layout->file);
}

/* Says what has happened to a source file; now and then are its size, its
 * time and its path. */
static enum dtx_status
refuse_source(const char *now, const char *then, struct dtx_error *err)
{
    char *ends[2];
    long long sizes[2] = {strtoll(now, &ends[0], 10),
                          strtoll(then, &ends[1], 10)};
    long long times[2] = {strtoll(ends[0], &ends[0], 10),
                          strtoll(ends[1], &ends[1], 10)};
    size_t length = journal_line_length(ends[0]);
    bool is_same = journal_line_length(ends[1]) == length &&
                   memcmp(ends[0], ends[1], length) == 0;
    struct dtx_text path = {0};
    char change[96] = "is another file than was read";

    journal_read_path(ends[0] + 1, length > 0 ? length - 1 : 0, &path);
    if (is_same && sizes[0] != sizes[1]) {
        snprintf(change, sizeof change, "has %lld bytes, and had %lld",
                 sizes[0], sizes[1]);
    } else if (is_same && times[0] != times[1]) {
        snprintf(change, sizeof change, "has been written again");
    }
    dtx_error_set(err, DTX_ERR_SOURCE,
                  "the source has changed since the run was interrupted: "
                  "'%s' %s",
                  path.failed ? "a file" : path.data, change);
    dtx_text_finish(&path);
    return DTX_ERR_SOURCE;
}

/* Two lines of the heads that aren't alike. */
static enum dtx_status
refuse_change(const struct engine *e, const char *now, const char *then,
              struct dtx_error *err)
{
    const char *rest = journal_after_word(now, "read");
    enum dtx_status status;

    if (strncmp(now, "dtx-journal ", 12) == 0) {
        status = refuse_version("its journal has another form\n", err);
    } else if (journal_after_word(now, "version") != NULL) {
        then = journal_after_word(then, "version");
        status = refuse_version(then == NULL ? "unknown\n" : then, err);
    } else if (journal_after_word(now, "target") != NULL) {
        status = refuse_layout(e->plan->target, "target", err);
    } else if (journal_after_word(now, "source") != NULL) {
        status = refuse_layout(e->plan->source, "source", err);
    } else if (rest != NULL) {
        then = journal_after_word(then, "read");
        status = refuse_source(rest, then == NULL ? rest : then, err);
    } else if (journal_after_word(now, "tensors") != NULL) {
        status = dtx_error_set(err, DTX_ERR_INVALID,
                               "the interrupted run was to move other tensors "
                               "or to give them other names");
    } else {
        status = dtx_error_set(err, DTX_ERR_INVALID,
                               "the interrupted run was to write or read "
                               "other files");
    }
    dtx_error_hint(err, "without --resume the run starts over");
    return status;
}

/* Passes over the source's files. */
static const char *
pass_source(const char *line)
{
    while (line != NULL && journal_after_word(line, "read") != NULL) {
        line = journal_next_line(line);
    }
    return line;
}

enum dtx_status
journal_compare(const struct engine *e, const char *content, const char *head,
                struct dtx_error *err)
{
    bool is_read = journal_is_committing(content);
    const char *now = head;
    const char *then = content;

    for (;;) {
        now = is_read ? pass_source(now) : now;
        then = is_read ? pass_source(then) : then;
        if (now == NULL || then == NULL ||
            journal_line_length(now) != journal_line_length(then) ||
            memcmp(now, then, journal_line_length(now)) != 0) {
            return refuse_change(e, now == NULL ? "" : now,
                                 then == NULL ? "" : then, err);
        }
        if (journal_is_line(now, "begin")) {
            return DTX_OK;
        }
        now = journal_next_line(now);
        then = journal_next_line(then);
    }
}
