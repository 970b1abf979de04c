/*
 * Layout rules from a table's hints.
 */
#ifndef CHECKPOINT_RULES_H
#define CHECKPOINT_RULES_H

#include "options.h"

/* Prints the `mesh` (where it is given), `numbered` and `tensors` parts of a
 * layout for the table. */
enum dtx_status rules_print(const struct options *options,
                            struct dtx_error *err);

#endif
