/*
 * `rename`: what the target calls a tensor of the source.
 */
#include <string.h>

#include "spec/codes.h"
#include "spec/reader.h"
#include "spec/regex_size.h"

enum { REGEX_ERROR_MAX = 200 };

/* Compiles the regular expression; it is the layout's from then on. */
static bool
compile(struct spec_reader *reader, const struct yaml_node *node,
        struct dtx_rename *rename)
{
    char problem[REGEX_ERROR_MAX];
    const char *reference;
    int code;

    if (regex_is_too_large(rename->match)) {
        spec_error(&reader->report, SPEC_REGEX, node->mark,
                   "match: this regular expression is too large");
        return false;
    }
    reference = regex_back_reference(rename->match);
    if (reference != NULL) {
        spec_error(&reader->report, SPEC_REGEX,
                   spec_mark_within(&reader->report, node,
                                    (int)(reference - rename->match)),
                   "match: it can't refer back to a group")
            ->help = "\\1 and the like stand for groups in 'to'";
        return false;
    }
    code = regcomp(&rename->regex, rename->match, REG_EXTENDED);
    if (code == 0) {
        reader->layout->rename_count++;
        return true;
    }
    if (code == REG_ESPACE) {
        reader->report.failed = true;
        return false;
    }
    regerror(code, &rename->regex, problem, sizeof problem);
    spec_error(&reader->report, SPEC_REGEX, node->mark, "match: %s", problem)
        ->help = "this is a POSIX extended regular expression";
    return false;
}

/* The groups that `to` names must be there. */
static void
check_to(struct spec_reader *reader, const struct yaml_node *node,
         const struct dtx_rename *rename)
{
    size_t groups = rename->regex.re_nsub;

    for (const char *at = strchr(rename->to, '\\'); at != NULL;
         at = strchr(at + 2, '\\')) {
        struct dtx_mark mark =
            spec_mark_within(&reader->report, node, (int)(at - rename->to));

        if (at[1] == '\\') {
            continue;
        }
        if (at[1] < '1' || at[1] > '9') {
            spec_error(&reader->report, SPEC_RENAME_TO, mark,
                       "to: a backslash stands before a group's number")
                ->help = "write \\\\ for a backslash itself";
            return;
        }
        if ((size_t)(at[1] - '0') > groups) {
            spec_error(&reader->report, SPEC_RENAME_TO, mark,
                       "to: there is no group \\%c", at[1])
                ->help = spec_format(&reader->report,
                                     "'match' has %zu in parentheses", groups);
            return;
        }
    }
}

static void
read_entry(struct spec_reader *reader, const struct yaml_node *node)
{
    static const struct spec_key keys[] = {{"match", true}, {"to", true}};
    struct dtx_layout *layout = reader->layout;
    /* Counted once its regular expression is compiled, and only then freed. */
    struct dtx_rename *rename = &layout->renames[layout->rename_count];
    const struct yaml_node *match;
    const struct yaml_node *to;

    *rename = (struct dtx_rename){.mark = node->mark};
    if (!spec_map(&reader->report, node, "a rename", keys, 2)) {
        return;
    }
    match = spec_find(node, "match");
    to = spec_find(node, "to");
    if (match == NULL || to == NULL ||
        !spec_text(&reader->report, match, "match", &layout->arena,
                   &rename->match) ||
        !spec_text(&reader->report, to, "to", &layout->arena, &rename->to)) {
        return;
    }
    if (compile(reader, match, rename)) {
        check_to(reader, to, rename);
    }
}

void
spec_read_renames(struct spec_reader *reader, const struct yaml_node *node)
{
    struct dtx_layout *layout = reader->layout;

    if (node == NULL || !spec_is(&reader->report, node, YAML_LIST, "rename")) {
        return;
    }
    layout->renames = spec_alloc(reader, node->count, sizeof *layout->renames);
    for (int i = 0; i < node->count && !reader->report.failed; i++) {
        read_entry(reader, &node->items[i]);
    }
}
