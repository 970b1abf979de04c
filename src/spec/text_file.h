/*
 * Files of text, as layouts and tensor tables are.
 */
#ifndef DTX_SPEC_TEXT_FILE_H
#define DTX_SPEC_TEXT_FILE_H

#include <dtx/layout.h>
#include <dtx/status.h>

#include "util/text.h"

/* A manifest of a million tensors is smaller. */
enum { SPEC_FILE_BYTES_MAX = 256 << 20 };

/*
 * Reads a whole file; text->data is set even where it is empty.
 *
 * Fails with DTX_ERR_SOURCE, or DTX_ERR_INVALID for a target, where it can't
 * be read, is too large, or holds NUL bytes.
 */
enum dtx_status spec_load_text(const char *path, enum dtx_role role,
                               struct dtx_text *text, struct dtx_error *err);

/*
 * Fails with DTX_ERR_SOURCE where a pipe or a device stands at a path. For
 * paths that are found, and not named on the command line: nobody is to wait
 * for what comes through them.
 */
enum dtx_status spec_refuse_pipe(const char *path, struct dtx_error *err);

/* The bytes of a byte order mark that a text begins with: 0 or 3. */
size_t spec_mark_length(const char *text);

#endif
