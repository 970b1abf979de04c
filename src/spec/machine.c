/*
 * Machine files: from text to numbers.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/codes.h"
#include "spec/fields.h"
#include "spec/machine_keys.h"
#include "spec/scalar.h"
#include "spec/text_file.h"
#include "util/error.h"
#include "util/size.h"

/* More processes than any node has. */
enum { NODE_PROCESS_MAX = 1 << 20 };

static const char node_key[] = "processes_per_node";

struct machine_reader {
    struct spec_report report;
    struct dtx_arena scratch;
    struct dtx_machine machine;
};

/* Reads "2.5GB" and "2.5GB/s", where the whole text is that. */
static bool
read_size(const char *text, double *value_out)
{
    char size[64];
    size_t length = strlen(text);
    uint64_t bytes;

    if (length > 2 && strcmp(text + length - 2, "/s") == 0) {
        length -= 2;
    }
    if (length >= sizeof size) {
        return false;
    }
    memcpy(size, text, length);
    size[length] = '\0';
    if (!dtx_size_parse(size, &bytes)) {
        return false;
    }
    *value_out = (double)bytes;
    return true;
}

/* False where a scalar is no number of the unit at all. */
static bool
read_scalar(const struct yaml_node *node, enum machine_unit unit,
            double *value_out)
{
    enum scalar_type type = scalar_type(node->text, node->is_plain);

    if (type == SCALAR_INTEGER || type == SCALAR_FLOAT) {
        char *end;

        *value_out = strtod(node->text, &end);
        return *end == '\0';
    }
    return unit == MACHINE_RATE && type == SCALAR_TEXT &&
           read_size(node->text, value_out);
}

/* What each unit is, and how it is written. */
static const struct {
    const char *name, *help;
} units[] = {
    [MACHINE_RATE] = {"bytes per second", "write it as 2.5e9 or 2.5GB"},
    [MACHINE_SECONDS] = {"seconds", "write it as 0.002 or 2e-3"},
    [MACHINE_SHARE] = {"a share", "write it as 0.25"},
};

static void
read_number(struct machine_reader *reader, const struct yaml_node *node,
            const struct machine_key *key)
{
    double value = 0;

    if (node->kind == YAML_INVALID) {
        return;
    }
    if (node->kind != YAML_SCALAR || !read_scalar(node, key->unit, &value)) {
        spec_error(&reader->report, SPEC_TYPE, node->mark, "%s must be %s",
                   key->name, units[key->unit].name)
            ->help = units[key->unit].help;
        return;
    }
    if (key->unit == MACHINE_SHARE && value > 1) {
        spec_error(&reader->report, SPEC_MACHINE_NUMBER, node->mark,
                   "%s must be at most 1", key->name);
        return;
    }
    if (!(value > 0) || !isfinite(value)) {
        spec_error(&reader->report, SPEC_MACHINE_NUMBER, node->mark,
                   "%s must be above 0, and finite", key->name);
        return;
    }
    *machine_number(&reader->machine, key) = value;
}

static void
read_root(struct machine_reader *reader, const struct yaml_node *root)
{
    static const struct spec_number number = {node_key, 0, NODE_PROCESS_MAX,
                                              SPEC_MACHINE_NUMBER};
    struct spec_key known[YAML_KEYS_MAX] = {{node_key, false}};
    const struct yaml_node *value;
    int64_t count;

    for (int k = 0; k < machine_key_count; k++) {
        known[k + 1] = (struct spec_key){machine_keys[k].name, false};
    }
    if (!spec_map(&reader->report, root, "a machine", known,
                  machine_key_count + 1)) {
        return;
    }
    value = spec_find(root, node_key);
    if (value != NULL &&
        spec_integer(&reader->report, value, &number, &count)) {
        reader->machine.processes_per_node = (int)count;
    }
    for (int k = 0; k < machine_key_count; k++) {
        value = spec_find(root, machine_keys[k].name);
        if (value != NULL) {
            read_number(reader, value, &machine_keys[k]);
        }
    }
}

static enum dtx_status
read_text(struct machine_reader *reader, struct dtx_error *err)
{
    const struct yaml_node *root =
        yaml_tree_read(reader->report.text, &reader->scratch, &reader->report);

    if (root != NULL) {
        read_root(reader, root);
    }
    return spec_report_status(&reader->report, err);
}

enum dtx_status
dtx_machine_parse(const char *text, const char *file,
                  struct dtx_diagnostics *list, struct dtx_machine *machine,
                  struct dtx_error *err)
{
    struct machine_reader reader = {
        .report = {.text = text + spec_mark_length(text), .file = file},
        .machine = *machine};
    enum dtx_status status = read_text(&reader, err);

    spec_report_deliver(&reader.report, list);
    spec_report_finish(&reader.report);
    dtx_arena_finish(&reader.scratch);
    if (status == DTX_OK) {
        *machine = reader.machine;
    }
    return status;
}

enum dtx_status
dtx_machine_load(const char *path, struct dtx_diagnostics *list,
                 struct dtx_machine *machine, struct dtx_error *err)
{
    struct dtx_text text = {0};
    /* Told as a mistake of the command line, as a target's layout is. */
    enum dtx_status status = spec_load_text(path, DTX_TARGET, &text, err);

    if (status == DTX_OK) {
        status = dtx_machine_parse(text.data, path, list, machine, err);
    }
    dtx_text_finish(&text);
    return status;
}
