/*
 * UTF-8, one code point at a time.
 *
 * Names and layout files are UTF-8 as a rule, but nobody promises it: a byte
 * that begins no well-formed sequence counts as one code point of its own,
 * DTX_UTF8_STRAY plus the byte, a value that no well-formed text has.
 */
#ifndef DTX_UTIL_UTF8_H
#define DTX_UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DTX_UTF8_STRAY = 0xDC00 };

/* Reads the code point at `string`, which doesn't begin with NUL; returns its
 * length in bytes, 1 to 4. */
size_t dtx_utf8_decode(const char *string, uint32_t *code_out);

/* Columns of a terminal that a code point takes: 0, 1 or 2. */
int dtx_utf8_width(uint32_t code);

/* Whether a terminal or an editor takes a code point for more than a sign:
 * controls, line and paragraph separators, changes of direction, strays. */
bool dtx_utf8_is_control(uint32_t code);

/*
 * Makes text that came from outside fit to be shown, in place: a tab becomes
 * a blank, a line feed `line_feed`, any other control one '?'. Returns the
 * length, which never grows.
 */
size_t dtx_utf8_clean(char *string, char line_feed);

#endif
