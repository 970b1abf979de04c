/*
 * The command line, by getopt_long over the options of one command.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/suggest.h"

enum {
    FIRST_LONG = 256, /* what getopt_long returns for the option with id 0 */
    ORIGIN_TEXT = 40,
};

static void
collect_options(const struct command *command, struct option *longs,
                char *shorts)
{
    int count = 0;

    *shorts++ = ':';
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_entry *entry = option_get((enum option_id)i);

        if (!option_belongs(entry, command)) {
            continue;
        }
        longs[count++] = (struct option){.name = entry->name,
                                         .has_arg = entry->argument != NULL
                                                        ? required_argument
                                                        : no_argument,
                                         .val = FIRST_LONG + i};
        if (entry->letter != '\0') {
            *shorts++ = entry->letter;
        }
        if (entry->letter != '\0' && entry->argument != NULL) {
            *shorts++ = ':';
        }
    }
    *shorts = '\0';
    longs[count] = (struct option){0};
}

/* The option that a return value of getopt_long means, or NULL. */
static const struct option_entry *
find_option(int value)
{
    if (value >= FIRST_LONG && value < FIRST_LONG + OPTION_COUNT) {
        return option_get((enum option_id)(value - FIRST_LONG));
    }
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_entry *entry = option_get((enum option_id)i);

        if (entry->letter != '\0' && entry->letter == value) {
            return entry;
        }
    }
    return NULL;
}

/* Names the commands that an option belongs to instead. */
static enum dtx_status
refuse_foreign(const struct command *command, const struct option_entry *entry,
               struct dtx_error *err)
{
    char owners[128] = "";

    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command *owner = command_get((enum command_id)i);

        if (option_belongs(entry, owner)) {
            size_t used = strlen(owners);

            snprintf(owners + used, sizeof(owners) - used, "%s'dtx %s'",
                     used > 0 ? ", " : "", owner->name);
        }
    }
    dtx_error_set(err, DTX_ERR_INVALID, "'dtx %s' has no option '--%s'",
                  command->name, entry->name);
    dtx_error_hint(err, "it belongs to %s", owners);
    return DTX_ERR_INVALID;
}

/* Names the options that a word is the beginning of. */
static enum dtx_status
refuse_ambiguous(const struct option *longs, const char *name,
                 struct dtx_error *err)
{
    char matches[256] = "";

    for (; longs->name != NULL; longs++) {
        size_t used = strlen(matches);

        if (strncmp(longs->name, name, strlen(name)) == 0) {
            snprintf(matches + used, sizeof(matches) - used, "%s'--%s'",
                     used > 0 ? ", " : "", longs->name);
        }
    }
    dtx_error_set(err, DTX_ERR_INVALID, "option '--%s' is ambiguous", name);
    dtx_error_hint(err, "it may be %s", matches);
    return DTX_ERR_INVALID;
}

static enum dtx_status
refuse_unknown(const struct command *command, const struct option *longs,
               const char *name, struct dtx_error *err)
{
    const char *known[OPTION_COUNT];
    const char *close;
    int count = 0;

    for (; longs->name != NULL; longs++) {
        known[count++] = longs->name;
    }
    dtx_error_set(err, DTX_ERR_INVALID, "unknown option '--%s'", name);
    close = dtx_suggest(name, known, count);
    if (close != NULL) {
        dtx_error_hint(err, "did you mean '--%s'?", close);
    } else {
        dtx_error_hint(err, "'dtx %s --help' lists the options", command->name);
    }
    return DTX_ERR_INVALID;
}

/* Sets the error for a long option that getopt_long doesn't know, or that is
 * the beginning of several. word is without the dashes. */
static enum dtx_status
refuse_long(const struct command *command, const struct option *longs,
            const char *word, struct dtx_error *err)
{
    char name[64];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_entry *entry = option_get((enum option_id)i);

        if (strcmp(entry->name, name) == 0) {
            return refuse_foreign(command, entry, err);
        }
    }
    for (const struct option *l = longs; l->name != NULL; l++) {
        if (strncmp(l->name, name, strlen(name)) == 0) {
            return refuse_ambiguous(longs, name, err);
        }
    }
    return refuse_unknown(command, longs, name, err);
}

/* Sets the error for what getopt_long refused with '?' or ':'. */
static enum dtx_status
refuse_option(const struct command *command, const struct option *longs,
              int sign, const char *word, struct dtx_error *err)
{
    const struct option_entry *entry = find_option(optopt);

    if (sign == ':' && entry != NULL) {
        return dtx_error_set(err, DTX_ERR_INVALID, "'--%s' needs a value, %s",
                             entry->name, entry->argument);
    }
    if (optopt >= FIRST_LONG && entry != NULL) {
        return dtx_error_set(err, DTX_ERR_INVALID, "'--%s' takes no value",
                             entry->name);
    }
    if (optopt == 0) {
        return refuse_long(command, longs, word + 2, err);
    }
    dtx_error_set(err, DTX_ERR_INVALID, "unknown option '-%c'", optopt);
    dtx_error_hint(err, "'dtx %s --help' lists the options", command->name);
    return DTX_ERR_INVALID;
}

/* What the command line must have beyond well-formed options. */
static bool
is_standard_output(const char *file)
{
    return file != NULL && strcmp(file, "-") == 0;
}

/* Hosts that the environment names may stay without use. */
static enum dtx_status
check_hosts(const struct arguments *arguments, struct dtx_error *err)
{
    if (arguments->hosts.path != NULL && arguments->rankfile == NULL &&
        !arguments->hosts.is_from_environment) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "'--hosts' goes with '--rankfile' only");
    }
    return DTX_OK;
}

/* Only one thing can be written to standard output. */
static enum dtx_status
check_output(const struct arguments *arguments, struct dtx_error *err)
{
    const char *const writers[] = {
        arguments->is_json ? "--json" : NULL,
        is_standard_output(arguments->transfers) ? "--transfers -" : NULL,
        is_standard_output(arguments->html) ? "--html -" : NULL,
        is_standard_output(arguments->rankfile) ? "--rankfile -" : NULL};
    const char *first = NULL;

    for (int i = 0; i < 4; i++) {
        if (first != NULL && writers[i] != NULL) {
            return dtx_error_set(err, DTX_ERR_INVALID,
                                 "'%s' and '%s' would both write to standard "
                                 "output",
                                 first, writers[i]);
        }
        first = first != NULL ? first : writers[i];
    }
    return DTX_OK;
}

static enum dtx_status
check_arguments(const struct arguments *arguments, struct dtx_error *err)
{
    const struct command *command = arguments->command;
    int count = arguments->operand_count;

    if (count < command->operand_min || count > command->operand_max) {
        if (count > command->operand_max) {
            dtx_error_set(err, DTX_ERR_INVALID, "unexpected operand '%s'",
                          arguments->operands[command->operand_max]);
        } else {
            dtx_error_set(err, DTX_ERR_INVALID,
                          "'dtx %s' needs %s, got %d of %d", command->name,
                          command->operands, count, command->operand_min);
        }
        dtx_error_hint(err, "usage: dtx %s %s", command->name,
                       command->operands);
        return DTX_ERR_INVALID;
    }
    if (arguments->transfers != NULL && command->id == COMMAND_RESHARD &&
        !arguments->is_dry_run) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "'--transfers' goes with '--dry-run' or 'dtx "
                             "plan' only");
    }
    return check_hosts(arguments, err) == DTX_OK ? check_output(arguments, err)
                                                 : DTX_ERR_INVALID;
}

static enum dtx_status
parse_words(const struct command *command, int argc, char **argv,
            struct arguments *arguments, struct dtx_error *err)
{
    struct option longs[OPTION_COUNT + 1];
    char shorts[2 * OPTION_COUNT + 2];
    char origin[ORIGIN_TEXT];
    enum dtx_status status = DTX_OK;
    int value;

    collect_options(command, longs, shorts);
    optind = 0; /* glibc: begin anew */
    opterr = 0;
    while (status == DTX_OK &&
           (value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const struct option_entry *entry = find_option(value);

        if (entry == NULL) {
            return refuse_option(command, longs, value, argv[optind - 1], err);
        }
        snprintf(origin, sizeof(origin), "--%s", entry->name);
        status = argument_set(arguments, entry, origin,
                              entry->argument != NULL ? optarg : NULL, err);
    }
    arguments->operand_count = argc - optind;
    arguments->operands = argv + optind;
    return status;
}

enum dtx_status
arguments_parse(const struct command *command, int argc, char **argv,
                struct arguments *arguments_out, struct dtx_error *err)
{
    struct arguments *arguments = arguments_out;
    enum dtx_status status;

    *arguments = (struct arguments){
        .command = command, .strategy = DTX_STRATEGY_AUTO, .map = DTX_MAP_AUTO};
    status = environment_parse(command, arguments, err);
    if (status == DTX_OK) {
        status = parse_words(command, argc, argv, arguments, err);
    }
    if (status == DTX_OK && !arguments->wants_help &&
        !arguments->wants_version) {
        status = check_arguments(arguments, err);
    }
    return status;
}

void
arguments_finish(struct arguments *arguments)
{
    dtx_free(arguments->include.items);
    dtx_free(arguments->exclude.items);
    dtx_free(arguments->src_procs.items);
    dtx_free(arguments->dst_procs.items);
    dtx_free(arguments->mesh.text);
    *arguments = (struct arguments){0};
}
