#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static struct arguments arguments;
static struct dtx_error err;

static enum dtx_status
parse(enum command_id command, int argc, const char **argv)
{
    /* The operands are pointers into this. */
    static const char *words[16];

    cr_assert_lt(argc, 16);
    memcpy(words, argv, ((size_t)argc + 1) * sizeof *argv);
    return arguments_parse(command_get(command), argc, (char **)words,
                           &arguments, &err);
}

#define PARSE(command, ...)                                                    \
    parse(command, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),     \
          (const char *[]){__VA_ARGS__, NULL})

Test(options, operands_stand_anywhere)
{
    cr_assert_eq(PARSE(COMMAND_PLAN, "plan", "a", "--json", "b"), DTX_OK);
    cr_assert(arguments.is_json);
    cr_assert_eq(arguments.operand_count, 2);
    cr_assert_str_eq(arguments.operands[0], "a");
    cr_assert_str_eq(arguments.operands[1], "b");
    arguments_finish(&arguments);
}

Test(options, behind_two_dashes_all_are_operands)
{
    cr_assert_eq(PARSE(COMMAND_PLAN, "plan", "--", "--json", "b"), DTX_OK);
    cr_assert_not(arguments.is_json);
    cr_assert_str_eq(arguments.operands[0], "--json");
    arguments_finish(&arguments);
}

Test(options, names_may_be_cut_short)
{
    cr_assert_eq(PARSE(COMMAND_PLAN, "plan", "--mem=3k", "a", "b"), DTX_OK);
    cr_assert_eq(arguments.memory_bytes, 3072);
    arguments_finish(&arguments);
}

Test(options, the_last_of_two_counts)
{
    cr_assert_eq(
        PARSE(COMMAND_PLAN, "plan", "--procs", "3", "a", "b", "--procs=5"),
        DTX_OK);
    cr_assert_eq(arguments.process_count, 5);
    arguments_finish(&arguments);
}

Test(options, globs_gather)
{
    cr_assert_eq(PARSE(COMMAND_PLAN, "plan", "a", "b", "--include", "x*",
                       "--exclude", "z", "--include", "y"),
                 DTX_OK);
    cr_assert_eq(arguments.include.count, 2);
    cr_assert_str_eq(arguments.include.items[0], "x*");
    cr_assert_str_eq(arguments.include.items[1], "y");
    cr_assert_eq(arguments.exclude.count, 1);
    arguments_finish(&arguments);
}

Test(options, the_environment_counts)
{
    setenv("DTX_MEMORY", "1MiB", 1);
    setenv("DTX_INCLUDE", "env*", 1);
    setenv("DTX_JSON", "yes", 1);
    setenv("DTX_PROCS", "", 1);
    cr_assert_eq(PARSE(COMMAND_PLAN, "plan", "a", "b"), DTX_OK);
    cr_assert_eq(arguments.memory_bytes, 1 << 20);
    cr_assert_str_eq(arguments.include.items[0], "env*");
    cr_assert(arguments.is_json);
    cr_assert_eq(arguments.process_count, 0);
    arguments_finish(&arguments);
}

Test(options, the_command_line_wins_over_the_environment)
{
    setenv("DTX_MEMORY", "1MiB", 1);
    setenv("DTX_INCLUDE", "env*", 1);
    cr_assert_eq(PARSE(COMMAND_PLAN, "plan", "a", "b", "--memory", "2MiB",
                       "--include", "x", "--include", "y"),
                 DTX_OK);
    cr_assert_eq(arguments.memory_bytes, 2 << 20);
    cr_assert_eq(arguments.include.count, 2);
    cr_assert_str_eq(arguments.include.items[0], "x");
    arguments_finish(&arguments);
}

Test(options, the_environment_of_other_commands_counts_nothing)
{
    setenv("DTX_FORCE", "perhaps", 1);
    cr_assert_eq(PARSE(COMMAND_PLAN, "plan", "a", "b"), DTX_OK);
    arguments_finish(&arguments);
    cr_assert_eq(PARSE(COMMAND_RESHARD, "reshard", "a", "b"), DTX_ERR_INVALID);
    arguments_finish(&arguments);
}

Test(options, help_wants_no_operands)
{
    cr_assert_eq(PARSE(COMMAND_PLAN, "plan", "-h"), DTX_OK);
    cr_assert(arguments.wants_help);
    arguments_finish(&arguments);
}

Test(options, every_option_is_in_the_table_at_its_place)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_entry *entry = option_get((enum option_id)i);

        cr_assert_eq(entry->id, (enum option_id)i);
        cr_assert_not_null(entry->name);
        cr_assert_neq(entry->commands, 0);
    }
}

Test(options, every_command_is_in_the_table_at_its_place)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command *command = command_get((enum command_id)i);

        cr_assert_eq(command->id, (enum command_id)i);
        cr_assert_not_null(command->name);
    }
}

Test(options, say_where_shards_live_and_what_carries_them)
{
    cr_assert_eq(PARSE(COMMAND_RESHARD, "reshard", "a", "b", "--device=cuda",
                       "--transport=mpi"),
                 DTX_OK);
    cr_expect_eq(arguments.device, DTX_DEVICE_CUDA);
    cr_expect_eq(arguments.transport, DTX_CARRIER_MPI);
    arguments_finish(&arguments);
    cr_assert_eq(PARSE(COMMAND_RESHARD, "reshard", "a", "b", "--device=gpu"),
                 DTX_ERR_INVALID);
    cr_expect_not_null(strstr(err.message, "gpu"), "%s", err.message);
    arguments_finish(&arguments);
}

/* Sets an option to the first of some words that it takes. */
static void
set_somehow(struct arguments *a, const struct option_entry *entry)
{
    static const char *const words[] = {"direct", "cyclic", "cuda", "none",
                                        "3",      "64MiB",  "x=2"};
    enum dtx_status status = DTX_ERR_INVALID;

    if (entry->argument == NULL) {
        cr_assert_eq(argument_set(a, entry, "--it", NULL, &err), DTX_OK);
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words && status != DTX_OK;
         i++) {
        status = argument_set(a, entry, "--it", words[i], &err);
    }
    cr_assert_eq(status, DTX_OK, "--%s takes none of the words", entry->name);
}

/* Processes that were given different options would wait for each other. */
Test(options, each_tells_processes_with_others_apart)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_entry *entry = option_get((enum option_id)i);
        struct arguments a = {.command = command_get(COMMAND_PLAN)};
        int64_t before = arguments_fingerprint(&a);

        set_somehow(&a, entry);
        cr_assert_neq(arguments_fingerprint(&a), before, "--%s", entry->name);
        arguments_finish(&a);
    }
}
