/*
 * Adding diagnostics; see <dtx/diagnostic.h> for the idea.
 */
#ifndef DTX_UTIL_DIAGNOSTIC_H
#define DTX_UTIL_DIAGNOSTIC_H

#include <dtx/diagnostic.h>

/* One diagnostic. Strings are copied when it is added; NULL leaves one out. */
struct dtx_diagnostic {
    enum dtx_severity severity;
    const char *code; /* "E012"; each kind of mistake has its own */
    const char *file; /* as the user named it */
    const char *text; /* the whole text of the file */
    struct dtx_mark mark;
    const char *message;
    const char *label; /* beside the carets */
    struct dtx_mark second_mark;
    const char *second_label;
    const char *help; /* without "help:" */
};

/* Adds one; out of memory is remembered and makes drawing fail. */
void dtx_diagnostics_add(struct dtx_diagnostics *list,
                         const struct dtx_diagnostic *diagnostic);

#endif
