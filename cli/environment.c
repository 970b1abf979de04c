/*
 * Options from the environment.
 */
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "report.h"
#include "util/suggest.h"

extern char **environ;

enum dtx_status
environment_parse(const struct command *command, struct arguments *arguments,
                  struct dtx_error *err)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_entry *entry = option_get((enum option_id)i);
        char text[OPTION_VARIABLE_TEXT];
        const char *variable = option_variable(entry, text);
        const char *value;
        enum dtx_status status;

        if (variable == NULL || !option_belongs(entry, command)) {
            continue;
        }
        value = getenv(variable);
        if (value == NULL || *value == '\0') {
            continue;
        }
        status = argument_set(arguments, entry, variable, value, err);
        if (status != DTX_OK) {
            return status;
        }
    }
    return DTX_OK;
}

/* A variable that no option has: a slip of the finger, or somebody else's. */
static void
warn_of(const char *variable, const char *const *known, int count)
{
    const char *close = dtx_suggest(variable, known, count);

    if (close != NULL) {
        report_warning("environment variable '%s' is none of dtx's; did you "
                       "mean '%s'?",
                       variable, close);
    }
}

void
environment_warn(void)
{
    char texts[OPTION_COUNT][OPTION_VARIABLE_TEXT];
    const char *known[OPTION_COUNT];
    int count = 0;

    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *variable =
            option_variable(option_get((enum option_id)i), texts[i]);

        if (variable != NULL) {
            known[count++] = variable;
        }
    }
    for (char **variable = environ; *variable != NULL; variable++) {
        char name[OPTION_VARIABLE_TEXT];
        size_t length = strcspn(*variable, "=");
        bool is_known = false;

        if (strncmp(*variable, "DTX_", 4) != 0 || length >= sizeof(name)) {
            continue;
        }
        memcpy(name, *variable, length);
        name[length] = '\0';
        for (int i = 0; i < count && !is_known; i++) {
            is_known = strcmp(known[i], name) == 0;
        }
        if (!is_known) {
            warn_of(name, known, count);
        }
    }
}
