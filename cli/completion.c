/*
 * Completion for shells, from the tables of commands and options.
 */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "output.h"
#include "util/error.h"
#include "util/suggest.h"
#include "util/text.h"

/* What can stand behind an option. */
struct choice {
    enum option_id id;
    const char *words; /* separated by blanks; NULL: names of files */
};

static const struct choice choices[] = {
    {OPTION_STRATEGY, "auto optimal redistribute materialize direct"},
    {OPTION_MAP, "auto block cyclic"},
    {OPTION_CHECK_REPLICAS, "sample all none"},
    {OPTION_PROGRESS, "auto plain bar none"},
    {OPTION_TRANSPORT, "auto mpi cuda"},
    {OPTION_DEVICE, "auto cpu cuda"},
    {OPTION_MACHINE, NULL},
    {OPTION_TRANSFERS, NULL},
    {OPTION_HTML, NULL},
    {OPTION_RANKFILE, NULL},
    {OPTION_HOSTS, NULL},
    {OPTION_LIKE, NULL},
    {OPTION_CATALOG, NULL},
    {OPTION_OUTPUT, NULL},
};

static const struct choice *
choice_of(enum option_id id)
{
    for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
        if (choices[i].id == id) {
            return &choices[i];
        }
    }
    return NULL;
}

/* The next option of a command, from *at. */
static const struct option_entry *
next_option(const struct command *command, int *at)
{
    while (*at < OPTION_COUNT) {
        const struct option_entry *entry = option_get((enum option_id)(*at)++);

        if (option_belongs(entry, command)) {
            return entry;
        }
    }
    return NULL;
}

static const struct command *
next_command(int *at)
{
    return *at < COMMAND_COUNT ? command_get((enum command_id)(*at)++) : NULL;
}

static void
add_command_names(struct dtx_text *text, const char *between)
{
    const struct command *command;
    const char *before = "";
    int at = 0;

    while ((command = next_command(&at)) != NULL) {
        dtx_text_format(text, "%s%s", before, command->name);
        before = between;
    }
}

/* What an operand of a command is: words, or names of files (NULL). */
static const char *
operand_words(const struct command *command)
{
    return command->id == COMMAND_COMPLETION ? "bash zsh fish"
           : command->operand_max == 0       ? ""
                                             : NULL;
}

/* --------------------------------------------------------------------- bash */

static void
add_bash_values(struct dtx_text *text)
{
    dtx_text_add(text, "    case $previous in\n");
    for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
        const struct option_entry *entry = option_get(choices[i].id);

        dtx_text_format(text, "    --%s", entry->name);
        if (entry->letter != '\0') {
            dtx_text_format(text, "|-%c", entry->letter);
        }
        if (choices[i].words == NULL) {
            dtx_text_add(text, ") compopt -o filenames; "
                               "mapfile -t COMPREPLY < <(compgen -f -- "
                               "\"$word\"); return;;\n");
        } else {
            dtx_text_format(text,
                            ") COMPREPLY=($(compgen -W '%s' -- \"$word\")); "
                            "return;;\n",
                            choices[i].words);
        }
    }
    dtx_text_add(text, "    esac\n");
}

static void
add_bash_command(struct dtx_text *text, const struct command *command)
{
    const struct option_entry *entry;
    const char *words = operand_words(command);
    int at = 0;

    dtx_text_format(text, "    %s)\n        options='", command->name);
    while ((entry = next_option(command, &at)) != NULL) {
        dtx_text_format(text, "--%s ", entry->name);
    }
    dtx_text_add(text, "'\n");
    if (command->id == COMMAND_HELP) {
        dtx_text_add(text, "        operands=$commands\n");
    } else if (words != NULL) {
        dtx_text_format(text, "        operands='%s'\n", words);
    } else {
        dtx_text_add(text, "        files=1\n");
    }
    dtx_text_add(text, "        ;;\n");
}

/* Without bash-completion's own functions, which need not be there. */
static void
add_bash(struct dtx_text *text)
{
    const struct command *command;
    int at = 0;

    dtx_text_add(text,
                 "# Completion of dtx for bash; made by `dtx completion "
                 "bash`.\n"
                 "_dtx() {\n"
                 "    local word=${COMP_WORDS[COMP_CWORD]} options= operands= "
                 "files= command=\n"
                 "    local previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                 "    local commands='");
    add_command_names(text, " ");
    dtx_text_add(text,
                 "'\n"
                 "    COMPREPLY=()\n"
                 "    # \"--map=b\" comes as three words.\n"
                 "    if [[ $word == = ]]; then word=; fi\n"
                 "    if [[ $previous == = ]]; then "
                 "previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                 "    if ((COMP_CWORD > 1)); then command=${COMP_WORDS[1]}; "
                 "fi\n");
    add_bash_values(text);
    dtx_text_add(text, "    case $command in\n"
                       "    '')\n"
                       "        operands=$commands\n"
                       "        options='--help --version'\n"
                       "        ;;\n");
    while ((command = next_command(&at)) != NULL) {
        add_bash_command(text, command);
    }
    dtx_text_add(text, "    esac\n"
                       "    if [[ $word == -* ]]; then\n"
                       "        COMPREPLY=($(compgen -W \"$options\" -- "
                       "\"$word\"))\n"
                       "    elif [[ -n $files ]]; then\n"
                       "        compopt -o filenames\n"
                       "        mapfile -t COMPREPLY < <(compgen -f -- "
                       "\"$word\")\n"
                       "    else\n"
                       "        COMPREPLY=($(compgen -W \"$operands\" -- "
                       "\"$word\"))\n"
                       "    fi\n"
                       "}\n"
                       "complete -F _dtx dtx\n");
}

/* ---------------------------------------------------------------------- zsh */

/* Adds text in single quotes, without what zsh's _arguments would take for
 * its own. */
static void
add_quoted(struct dtx_text *text, const char *string, const char *escaped)
{
    for (; *string != '\0'; string++) {
        if (*string == '\'') {
            dtx_text_add(text, "'\\''");
            continue;
        }
        if (strchr(escaped, *string) != NULL) {
            dtx_text_add(text, "\\");
        }
        dtx_text_add_bytes(text, string, 1);
    }
}

static void
add_zsh_option(struct dtx_text *text, const struct option_entry *entry)
{
    const struct choice *choice = choice_of(entry->id);

    if (entry->letter != '\0') {
        dtx_text_format(text, " \\\n            '(-%c --%s)'{-%c,--%s%s}'[",
                        entry->letter, entry->name, entry->letter, entry->name,
                        entry->argument != NULL ? "=" : "");
    } else {
        dtx_text_format(
            text, " \\\n            '%s--%s%s[",
            entry->id == OPTION_INCLUDE || entry->id == OPTION_EXCLUDE ? "*"
                                                                       : "",
            entry->name, entry->argument != NULL ? "=" : "");
    }
    add_quoted(text, entry->help, "[]");
    dtx_text_add(text, "]");
    if (entry->argument != NULL) {
        dtx_text_format(text, ":%s:", entry->argument);
        if (choice != NULL && choice->words != NULL) {
            dtx_text_format(text, "(%s)", choice->words);
        } else if (choice != NULL) {
            dtx_text_add(text, "_files");
        }
    }
    dtx_text_add(text, "'");
}

static void
add_zsh_command(struct dtx_text *text, const struct command *command)
{
    const struct option_entry *entry;
    const char *words = operand_words(command);
    int at = 0;

    dtx_text_format(text, "    %s)\n        _arguments", command->name);
    while ((entry = next_option(command, &at)) != NULL) {
        add_zsh_option(text, entry);
    }
    if (command->id == COMMAND_HELP) {
        dtx_text_add(text, " \\\n            '1:command:(");
        add_command_names(text, " ");
        dtx_text_add(text, ")'");
    } else if (words == NULL) {
        dtx_text_add(text, " \\\n            '*:file:_files'");
    } else if (*words != '\0') {
        dtx_text_format(text, " \\\n            '1:shell:(%s)'", words);
    }
    dtx_text_add(text, "\n        ;;\n");
}

static void
add_zsh(struct dtx_text *text)
{
    const struct command *command;
    int at = 0;

    dtx_text_add(text, "#compdef dtx\n"
                       "# Completion of dtx for zsh; made by `dtx completion "
                       "zsh`.\n"
                       "_dtx() {\n"
                       "    local -a commands=(\n");
    while ((command = next_command(&at)) != NULL) {
        dtx_text_format(text, "        '%s:", command->name);
        add_quoted(text, command->summary, ":");
        dtx_text_add(text, "'\n");
    }
    dtx_text_add(text, "    )\n"
                       "    if ((CURRENT == 2)) && [[ $words[2] == -* ]]; "
                       "then\n"
                       "        _values option '--help[print a summary]' "
                       "'--version[print the version]'\n"
                       "        return\n"
                       "    elif ((CURRENT == 2)); then\n"
                       "        _describe command commands\n"
                       "        return\n"
                       "    fi\n"
                       "    shift words\n"
                       "    ((CURRENT--))\n"
                       "    case $words[1] in\n");
    at = 0;
    while ((command = next_command(&at)) != NULL) {
        add_zsh_command(text, command);
    }
    /* Both when it is loaded by name, and when it is sourced. */
    dtx_text_add(text, "    esac\n"
                       "}\n"
                       "if [ \"$funcstack[1]\" = \"_dtx\" ]; then\n"
                       "    _dtx \"$@\"\n"
                       "else\n"
                       "    compdef _dtx dtx\n"
                       "fi\n");
}

/* --------------------------------------------------------------------- fish */

static void
add_fish_option(struct dtx_text *text, const struct command *command,
                const struct option_entry *entry)
{
    const struct choice *choice = choice_of(entry->id);

    dtx_text_format(text, "complete -c dtx -n '__dtx_is %s'", command->name);
    dtx_text_format(text, " -l %s", entry->name);
    if (entry->letter != '\0') {
        dtx_text_format(text, " -s %c", entry->letter);
    }
    if (entry->argument != NULL) {
        dtx_text_add(text, " -r");
    }
    if (choice != NULL && choice->words != NULL) {
        dtx_text_format(text, " -f -a '%s'", choice->words);
    } else if (choice != NULL) {
        dtx_text_add(text, " -F");
    } else if (entry->argument != NULL) {
        dtx_text_add(text, " -f");
    }
    dtx_text_add(text, " -d '");
    for (const char *at = entry->help; *at != '\0'; at++) {
        dtx_text_add(text, *at == '\'' || *at == '\\' ? "\\" : "");
        dtx_text_add_bytes(text, at, 1);
    }
    dtx_text_add(text, "'\n");
}

static void
add_fish_command(struct dtx_text *text, const struct command *command)
{
    const struct option_entry *entry;
    const char *words = operand_words(command);
    int at = 0;

    dtx_text_format(text,
                    "complete -c dtx -n '__dtx_is \"\"' -f -a %s -d '%s'\n",
                    command->name, command->summary);
    while ((entry = next_option(command, &at)) != NULL) {
        add_fish_option(text, command, entry);
    }
    if (words == NULL && command->id != COMMAND_HELP) {
        return;
    }
    dtx_text_format(text, "complete -c dtx -n '__dtx_is %s' -f", command->name);
    if (command->id == COMMAND_HELP) {
        dtx_text_add(text, " -a '");
        add_command_names(text, " ");
        dtx_text_add(text, "'");
    } else if (*words != '\0') {
        dtx_text_format(text, " -a '%s'", words);
    }
    dtx_text_add(text, "\n");
}

static void
add_fish(struct dtx_text *text)
{
    const struct command *command;
    int at = 0;

    dtx_text_add(text, "# Completion of dtx for fish; made by `dtx completion "
                       "fish`.\n"
                       "# Only the first word is a command: others may be "
                       "spelled like one.\n"
                       "function __dtx_is\n"
                       "    set -l words (commandline -opc)\n"
                       "    test \"$words[2]\" = \"$argv[1]\"\n"
                       "end\n"
                       "complete -c dtx -n '__dtx_is \"\"' -f -s h -l help "
                       "-d 'print a summary'\n"
                       "complete -c dtx -n '__dtx_is \"\"' -f -l version "
                       "-d 'print the version'\n");
    while ((command = next_command(&at)) != NULL) {
        add_fish_command(text, command);
    }
}

enum dtx_status
completion_run(const struct arguments *arguments, struct session *session,
               struct dtx_error *err)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    static void (*const writers[])(struct dtx_text *) = {add_bash, add_zsh,
                                                         add_fish};
    const char *shell = arguments->operands[0];
    const char *close;

    (void)session;
    for (int i = 0; i < 3; i++) {
        struct dtx_text text = {0};

        if (strcmp(shell, shells[i]) == 0) {
            writers[i](&text);
            return output_text(&text, err);
        }
    }
    dtx_error_set(err, DTX_ERR_INVALID, "there is no completion for '%s'",
                  shell);
    close = dtx_suggest(shell, shells, 3);
    if (close != NULL) {
        dtx_error_hint(err, "did you mean '%s'?", close);
    } else {
        dtx_error_hint(err, "the shells are bash, zsh and fish");
    }
    return DTX_ERR_INVALID;
}
