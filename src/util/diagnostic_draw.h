/*
 * How a diagnostic looks: "error[E012]: message", the place, its line with
 * carets and a label, a second place, and "help:".
 */
#ifndef DTX_UTIL_DIAGNOSTIC_DRAW_H
#define DTX_UTIL_DIAGNOSTIC_DRAW_H

#include "util/diagnostic.h"
#include "util/text.h"

void dtx_diagnostic_draw(struct dtx_text *out,
                         const struct dtx_diagnostic *diagnostic);

/* The columns that its line numbers take. */
int dtx_diagnostic_gutter(const struct dtx_diagnostic *diagnostic);

#endif
