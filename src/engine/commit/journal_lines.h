/*
 * The lines of a journal. A line is the text from its first word on; lines
 * end with a newline.
 */
#ifndef DTX_ENGINE_COMMIT_JOURNAL_LINES_H
#define DTX_ENGINE_COMMIT_JOURNAL_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "util/text.h"

/* The line behind this one, or NULL. */
const char *journal_next_line(const char *line);

/* Without the newline. */
size_t journal_line_length(const char *line);

bool journal_is_line(const char *line, const char *words);

/* What follows a first word, or NULL where the line has another. */
const char *journal_after_word(const char *line, const char *word);

/* A path as one word, with spaces, control characters and '%' as %XX; and back
 * (path is set anew). */
void journal_add_path(struct dtx_text *text, const char *path);
void journal_read_path(const char *word, size_t length, struct dtx_text *path);

#endif
