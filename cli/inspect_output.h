/*
 * What a checkpoint holds, as a person or a program wants it.
 */
#ifndef DTX_CLI_INSPECT_OUTPUT_H
#define DTX_CLI_INSPECT_OUTPUT_H

#include <stdbool.h>

#include <dtx/layout.h>
#include <dtx/plan.h>

/* Prints tables; tensors that differ only in numbers share a line unless
 * is_verbose. */
enum dtx_status inspect_print_text(const struct dtx_inspection *inspection,
                                   const struct dtx_layout *layout,
                                   bool is_verbose, struct dtx_error *err);
enum dtx_status inspect_print_json(const struct dtx_inspection *inspection,
                                   const struct dtx_layout *layout,
                                   struct dtx_error *err);

/* Prints one tensor by its name: who holds what, and where. */
enum dtx_status inspect_print_tensor(const struct dtx_inspection *inspection,
                                     const char *name, bool is_json,
                                     struct dtx_error *err);

#endif
