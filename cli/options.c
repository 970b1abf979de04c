#include "options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    PLAN = 1U << COMMAND_PLAN,
    RESHARD = 1U << COMMAND_RESHARD,
    INSPECT = 1U << COMMAND_INSPECT,
    BOTH = PLAN | RESHARD,
    ALL = (1U << COMMAND_COUNT) - 1,
};

static const struct option_entry entries[OPTION_COUNT] = {
    [OPTION_STRATEGY] = {OPTION_STRATEGY, "strategy", 0, "S", BOTH,
                         "how the data moves: optimal (default) or direct"},
    [OPTION_MEMORY] = {OPTION_MEMORY, "memory", 0, "SIZE", BOTH,
                       "most memory a process may use for data (256MiB, 4GiB)"},
    [OPTION_MAP] = {OPTION_MAP, "map", 0, "M", BOTH,
                    "which process hosts which rank: block (default), cyclic"},
    [OPTION_INCLUDE] = {OPTION_INCLUDE, "include", 0, "GLOB", BOTH,
                        "only tensors of these names; repeatable"},
    [OPTION_EXCLUDE] = {OPTION_EXCLUDE, "exclude", 0, "GLOB", BOTH,
                        "no tensors of these names; repeatable"},
    [OPTION_PROCS] = {OPTION_PROCS, "procs", 0, "N", PLAN,
                      "plan for N processes; default one per rank"},
    [OPTION_DRY_RUN] = {OPTION_DRY_RUN, "dry-run", 0, NULL, RESHARD,
                        "only print what would be done, as `dtx plan` does"},
    [OPTION_TRANSFERS] = {OPTION_TRANSFERS, "transfers", 0, "FILE", BOTH,
                          "write every transfer, one JSON object a line; "
                          "- is stdout"},
    [OPTION_JSON] = {OPTION_JSON, "json", 0, NULL, BOTH | INSPECT,
                     "one JSON document on standard output"},
    [OPTION_FORCE] = {OPTION_FORCE, "force", 0, NULL, RESHARD,
                      "replace an existing target"},
    [OPTION_PROGRESS] = {OPTION_PROGRESS, "progress", 0, "P", RESHARD,
                         "auto (default), plain (a line every 10 s) or none"},
    [OPTION_QUIET] = {OPTION_QUIET, "quiet", 'q', NULL, BOTH | INSPECT,
                      "no warnings and no progress"},
    [OPTION_VERBOSE] = {OPTION_VERBOSE, "verbose", 'v', NULL, BOTH,
                        "say more about what is done"},
    [OPTION_HELP] = {OPTION_HELP, "help", 'h', NULL, ALL, "print this help"},
    [OPTION_VERSION] = {OPTION_VERSION, "version", 0, NULL, ALL,
                        "print the version"},
    [OPTION_TRANSPORT] = {OPTION_TRANSPORT, "transport", 0, "T", BOTH, NULL},
    [OPTION_DEVICE] = {OPTION_DEVICE, "device", 0, "D", BOTH, NULL},
    [OPTION_SRC_PROCS] = {OPTION_SRC_PROCS, "src-procs", 0, "L", BOTH, NULL},
    [OPTION_DST_PROCS] = {OPTION_DST_PROCS, "dst-procs", 0, "L", BOTH, NULL},
    [OPTION_VERIFY] = {OPTION_VERIFY, "verify", 0, NULL, RESHARD, NULL},
    [OPTION_RESUME] = {OPTION_RESUME, "resume", 0, NULL, RESHARD, NULL},
    [OPTION_CHECK_REPLICAS] = {OPTION_CHECK_REPLICAS, "check-replicas", 0, "C",
                               RESHARD, NULL},
};

const struct option_entry *
option_get(enum option_id id)
{
    return &entries[id];
}

bool
option_belongs(const struct option_entry *entry, const struct command *command)
{
    return (entry->commands & (1U << command->id)) != 0;
}

const char *
option_variable(const struct option_entry *entry, char *text)
{
    size_t length;

    if (entry->id == OPTION_HELP || entry->id == OPTION_VERSION) {
        return NULL;
    }
    snprintf(text, OPTION_VARIABLE_TEXT, "DTX_%s", entry->name);
    length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        text[i] = text[i] == '-' ? '_' : (char)toupper((unsigned char)text[i]);
    }
    return text;
}
