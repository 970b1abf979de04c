/*
 * Globs over tensor names.
 *
 * `*` and `?` stay within a component ('.' and '/' separate components), `**`
 * matches anything; [abc], [a-z], [!a] and {a,b} as in a shell.
 */
#ifndef DTX_UTIL_GLOB_H
#define DTX_UTIL_GLOB_H

#include <stdbool.h>

/* NULL when the pattern is well-formed, else what is wrong with it. */
const char *dtx_glob_check(const char *pattern);

/* True where the whole name matches a well-formed pattern. */
bool dtx_glob_match(const char *pattern, const char *name);

#endif
