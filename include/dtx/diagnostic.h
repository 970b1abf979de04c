/*
 * Diagnostics: what is wrong in a layout file, drawn like a compiler's.
 *
 * A list of diagnostics owns copies of all its strings, including the text
 * of the files it points into, so that it can be drawn when the layouts are
 * gone. All mistakes of a file are collected before anything is reported.
 *
 * Functions are local unless they say that they are collective. Destroying
 * takes NULL.
 */
#ifndef DTX_DIAGNOSTIC_H
#define DTX_DIAGNOSTIC_H

#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place in a text: 1-based line and column (in code points), and a length. */
struct dtx_mark {
    int line; /* 0: no place */
    int column;
    int length;
};

enum dtx_severity { DTX_SEVERITY_ERROR, DTX_SEVERITY_WARNING };

struct dtx_diagnostics;

/* Creates an empty list; NULL when out of memory. Owned by the caller. */
DTX_API DTX_NODISCARD struct dtx_diagnostics *dtx_diagnostics_create(void);
DTX_API void dtx_diagnostics_destroy(struct dtx_diagnostics *diagnostics);

DTX_API int dtx_diagnostics_error_count(const struct dtx_diagnostics *list);
DTX_API int dtx_diagnostics_warning_count(const struct dtx_diagnostics *list);

/*
 * Draws all of them as text: "error[E012]: message", the place, the line,
 * carets and label, a second place, and "help:". Owned by the caller, to be
 * freed with dtx_string_free(); NULL when out of memory.
 */
DTX_API DTX_NODISCARD char *
dtx_diagnostics_draw(const struct dtx_diagnostics *list);
DTX_API void dtx_string_free(char *string);

#ifdef __cplusplus
}
#endif
#endif
