/*
 * Globs over tensor names.
 *
 * `*` and `?` stay within a component ('.' and '/' separate components), `**`
 * matches anything; [abc], [a-z], [!a] and {a,b} as in a shell, braces also
 * nested. Characters are code points. There is no escape character: brackets
 * take the meaning from one, as in "[*]".
 */
#ifndef DTX_UTIL_GLOB_H
#define DTX_UTIL_GLOB_H

#include <stdbool.h>

#include "util/text.h"

enum { DTX_GLOB_LENGTH_MAX = 4095 }; /* bytes of a pattern */

/* NULL when the pattern is well-formed, else what is wrong with it. */
const char *dtx_glob_check(const char *pattern);

/* True where the whole name matches a well-formed pattern. Takes time
 * proportional to the lengths of both, multiplied, at the worst. */
bool dtx_glob_match(const char *pattern, const char *name);

/* True where a pattern matches only the name that is spelled like it. */
bool dtx_glob_is_literal(const char *pattern);

/* Adds the pattern that matches just this name. */
void dtx_glob_quote(struct dtx_text *text, const char *name);

/* Adds the pattern of a name and those that differ from it in numbers: '*' for
 * each component that is one, or "{n}" for the one with this index among them
 * (-1: none). */
void dtx_glob_pattern(struct dtx_text *text, const char *name, int numbered);

#endif
