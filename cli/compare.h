/*
 * Comparing two checkpoints: what verify and diff have in common.
 */
#ifndef DTX_CLI_COMPARE_H
#define DTX_CLI_COMPARE_H

#include <dtx/verify.h>

#include "options.h"
#include "session.h"

/* Compares the two operands and prints what differs. Collective; returns
 * DTX_ERR_DIFFERENT, which the answer has told, where anything does. */
enum dtx_status compare_run(const struct arguments *arguments,
                            struct session *session, bool by_digest,
                            struct dtx_error *err);

/* The status of an answer: a difference is told by the answer, not as an
 * error. */
enum dtx_status compare_status(bool is_different, struct dtx_error *err);

/* names [2] what the user calls the checkpoints. */
enum dtx_status comparison_print_text(const struct dtx_comparison *comparison,
                                      const char *command, char *const *names,
                                      struct dtx_error *err);
enum dtx_status comparison_print_json(const struct dtx_comparison *comparison,
                                      struct dtx_error *err);

#endif
