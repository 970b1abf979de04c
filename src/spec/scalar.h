/*
 * Scalars: what YAML takes a bare word for.
 *
 * The types are those of YAML 1.2: on, off, yes and no are texts. Numbers are
 * taken in decimal only, since readers disagree about 010 and 1_000.
 */
#ifndef DTX_SPEC_SCALAR_H
#define DTX_SPEC_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

enum scalar_type {
    SCALAR_NULL,
    SCALAR_BOOL,
    SCALAR_INTEGER,
    SCALAR_FLOAT,
    SCALAR_TEXT
};

enum scalar_number { SCALAR_NO_NUMBER, SCALAR_TOO_LARGE, SCALAR_NUMBER };

enum scalar_type scalar_type(const char *text, bool is_plain);

/* Reads a whole text as a decimal integer; value_out is set for SCALAR_NUMBER
 * only. */
enum scalar_number scalar_integer(const char *text, int64_t *value_out);

#endif
