/*
 * Refusing: how what is wrong with a layout or its files is said.
 */
#ifndef DTX_PLAN_BIND_REFUSE_H
#define DTX_PLAN_BIND_REFUSE_H

#include "plan/bind/bind.h"

/* Adds a diagnostic at a place of the layout's file, and sets err to the same
 * message with DTX_ERR_INVALID. */
enum dtx_status dtx_refuse(const struct dtx_layout *layout,
                           struct dtx_mark mark, const char *code,
                           struct dtx_diagnostics *list, struct dtx_error *err,
                           const char *format, ...) DTX_PRINTF(6, 7);

/* The same for a tensor with a number that nobody holds, as err says. */
enum dtx_status dtx_refuse_number(const struct dtx_layout *layout,
                                  const char *name,
                                  struct dtx_diagnostics *list,
                                  struct dtx_error *err);

/* "cannot open …" for the file of a position that isn't there, with a hint on
 * how many of the layout's files are. */
enum dtx_status dtx_refuse_file(const struct dtx_binding *binding, int position,
                                struct dtx_error *err);

#endif
