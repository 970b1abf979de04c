/*
 * How much a regular expression asks of who compiles and runs it.
 *
 * It is compiled by writing repeated parts out, one within the other, and a
 * short text can so take all memory there is. Matching takes time in
 * proportion to what was written out, except where it refers back to what a
 * group has matched: then there may be no end.
 */
#ifndef DTX_SPEC_REGEX_SIZE_H
#define DTX_SPEC_REGEX_SIZE_H

#include <stdbool.h>

/* No expression may be larger, in bytes and written out in atoms. */
enum { REGEX_LENGTH_MAX = 1000, REGEX_ATOMS_MAX = 2000 };

/* True where a POSIX extended regular expression is too large. */
bool regex_is_too_large(const char *regex);

/* The first '\1' … '\9' of one, or NULL. POSIX has none here; C libraries do.
 */
const char *regex_back_reference(const char *regex);

#endif
