#include "help.h"

#include <stdio.h>

#include "options.h"
#include "output.h"
#include "report.h"
#include "util/text.h"

enum { OPTION_WIDTH = 20 };

static void
add_commands(struct dtx_text *text)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command *command = command_get((enum command_id)i);

        dtx_text_format(text, "  dtx %-10s %-14s  %s\n", command->name,
                        command->operands, command->summary);
    }
}

static void
add_option(struct dtx_text *text, const struct option_entry *entry)
{
    char letter[] = {'-', entry->letter, ',', ' ', '\0'};
    char left[64];

    snprintf(left, sizeof(left), "%s--%s%s%s",
             entry->letter != '\0' ? letter : "", entry->name,
             entry->argument != NULL ? " " : "",
             entry->argument != NULL ? entry->argument : "");
    dtx_text_format(text, "  %-*s  %s\n", OPTION_WIDTH, left, entry->help);
}

static void
add_command_help(struct dtx_text *text, const struct command *command)
{
    bool has_variables = false;

    dtx_text_format(text, "usage: dtx %s%s%s [options]\n\n%s\n\noptions:\n",
                    command->name, *command->operands != '\0' ? " " : "",
                    command->operands, command->about);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_entry *entry = option_get((enum option_id)i);
        char variable[OPTION_VARIABLE_TEXT];

        if (option_belongs(entry, command)) {
            add_option(text, entry);
            has_variables |= option_variable(entry, variable) != NULL;
        }
    }
    if (has_variables) {
        dtx_text_add(text, "\nEach option has an environment variable too, "
                           "such as DTX_JSON=1; the command\nline wins.\n");
    }
}

static void
add_program_help(struct dtx_text *text)
{
    dtx_text_add(text, "usage: dtx COMMAND [options]\n\n"
                       "Moves sharded HDF5 checkpoints from one parallel "
                       "layout into another.\n\ncommands:\n");
    add_commands(text);
    dtx_text_add(text, "\n'dtx COMMAND --help' says more; dtx-layout(5) "
                       "describes layout files.\n");
}

enum dtx_status
help_print(const struct command *command, struct dtx_error *err)
{
    struct dtx_text text = {0};

    if (command != NULL) {
        add_command_help(&text, command);
    } else {
        add_program_help(&text);
    }
    return output_text(&text, err);
}

void
help_print_usage(void)
{
    struct dtx_text text = {0};

    add_program_help(&text);
    if (report_speaks() && !text.failed) {
        fputs(text.data, stderr);
    }
    dtx_text_finish(&text);
}

enum dtx_status
help_run(const struct arguments *arguments, struct session *session,
         struct dtx_error *err)
{
    const struct command *command = NULL;
    enum dtx_status status;

    (void)session;
    if (arguments->operand_count > 0) {
        status = command_find(arguments->operands[0], &command, err);
        if (status != DTX_OK) {
            return status;
        }
    }
    return help_print(command, err);
}
