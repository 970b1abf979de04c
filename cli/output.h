/*
 * Answers: buffered writing to standard output or a file.
 *
 * The first failure is kept and told when the output is closed; what follows
 * it is dropped. On a process that doesn't speak everything is dropped.
 */
#ifndef DTX_CLI_OUTPUT_H
#define DTX_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <dtx/status.h>

#include "util/text.h"

enum { OUTPUT_BUFFER_BYTES = 256 * 1024 };

struct output {
    const char *path; /* borrowed; NULL: standard output */
    int fd;           /* -1: dropped */
    int failure;      /* errno of the first failure, or 0 */
    size_t used;
    char *buffer; /* [OUTPUT_BUFFER_BYTES] */
};

/* Opens a file, or standard output where path is NULL or "-". */
enum dtx_status output_open(struct output *output, const char *path,
                            struct dtx_error *err);

void output_add(struct output *output, const char *bytes, size_t count);

/* Writes what is buffered and closes, if it is a file of its own.
 * DTX_ERR_TARGET where anything couldn't be written. */
enum dtx_status output_close(struct output *output, struct dtx_error *err);

/* Writes a whole text to standard output, without what a terminal would take
 * for a command in names of files and tensors, and finishes it. */
enum dtx_status output_text(struct dtx_text *text, struct dtx_error *err);

#endif
