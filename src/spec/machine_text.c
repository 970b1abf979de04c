/*
 * Machine files: from numbers to text.
 */
#include <stdio.h>
#include <string.h>

#include "spec/machine_keys.h"
#include "util/alloc.h"
#include "util/size.h"
#include "util/text.h"

/* COMMENT_COLUMN: where the comments behind the numbers begin. */
enum { COMMENT_COLUMN = 36, NUMBER_TEXT = 32 };

static void
add_heading(struct dtx_text *text, const char *heading)
{
    bool at_start = true;

    for (; *heading != '\0'; heading++) {
        if (at_start) {
            dtx_text_add(text, *heading == '\n' ? "#" : "# ");
        }
        dtx_text_add_bytes(text, heading, 1);
        at_start = *heading == '\n';
    }
    if (!at_start) {
        dtx_text_add(text, "\n");
    }
}

/* A number as people say it: "1.96 GiB/s", "20 us". */
static void
add_words(struct dtx_text *text, double value, enum machine_unit unit)
{
    char size[DTX_SIZE_TEXT];

    if (unit == MACHINE_RATE) {
        dtx_text_format(text, "%s/s", dtx_size_format((uint64_t)value, size));
    } else if (unit == MACHINE_SHARE) {
        dtx_text_format(text, "%.0f %%", value * 100);
    } else if (value < 1e-3) {
        dtx_text_format(text, "%.3g us", value * 1e6);
    } else {
        dtx_text_format(text, "%.3g ms", value * 1e3);
    }
}

/* Three digits; YAML 1.1 takes 1e+07, which has no point, for a string. */
static void
format_number(double value, char text[NUMBER_TEXT])
{
    snprintf(text, NUMBER_TEXT, "%.3g", value);
    if (strchr(text, 'e') != NULL) {
        snprintf(text, NUMBER_TEXT, "%.2e", value);
    }
}

static void
add_number(struct dtx_text *text, const struct machine_key *key, double value,
           bool is_measured)
{
    char line[128], number[NUMBER_TEXT];

    if (key->group != NULL) {
        dtx_text_format(text, "\n# %s\n", key->group);
    }
    format_number(value, number);
    snprintf(line, sizeof line, "%s%s: %s", is_measured ? "" : "#", key->name,
             number);
    dtx_text_format(text, "%-*s# ", COMMENT_COLUMN, line);
    add_words(text, value, key->unit);
    dtx_text_format(text, ", %s%s\n", key->about,
                    is_measured ? "" : " (default)");
}

static void
add_nodes(struct dtx_text *text, int processes_per_node)
{
    char line[128];

    snprintf(line, sizeof line, "%sprocesses_per_node: %d",
             processes_per_node > 0 ? "" : "#", processes_per_node);
    dtx_text_format(text, "\n%-*s# %s\n", COMMENT_COLUMN, line,
                    "0: all are on one node");
}

char *
dtx_machine_text(const struct dtx_machine *machine,
                 const struct dtx_machine *rest, const char *heading)
{
    struct dtx_machine measured = *machine;
    struct dtx_machine others = *rest;
    struct dtx_text text = {0};

    add_heading(&text, heading);
    add_nodes(&text, machine->processes_per_node);
    for (int k = 0; k < machine_key_count; k++) {
        const struct machine_key *key = &machine_keys[k];
        double value = *machine_number(&measured, key);
        bool is_measured = value > 0;

        add_number(&text, key,
                   is_measured ? value : *machine_number(&others, key),
                   is_measured);
    }
    if (text.failed) {
        dtx_text_finish(&text);
        return NULL;
    }
    return text.data;
}
