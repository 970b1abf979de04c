/*
 * Help and version texts.
 */
#ifndef DTX_CLI_HELP_H
#define DTX_CLI_HELP_H

#include "command.h"

/* Prints the help of a command, or of the program where it is NULL. */
enum dtx_status help_print(const struct command *command,
                           struct dtx_error *err);

/* Says on standard error how the program is called. */
void help_print_usage(void);

/* Prints one line, "dtx 0.1.0". */
enum dtx_status version_print(struct dtx_error *err);

#endif
