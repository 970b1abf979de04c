/*
 * Layouts made in code: the spec as the text of a layout file.
 */
#include <dtx/build.h>

#include <inttypes.h>

#include "layout/layout.h"
#include "util/error.h"
#include "util/math.h"
#include "util/text.h"

static void
add_mesh(struct dtx_text *text, const struct dtx_layout_spec *spec)
{
    int positions = 1;

    dtx_text_add(text, "mesh: {");
    for (int i = 0; i < spec->axis_count; i++) {
        dtx_text_add(text, i > 0 ? ", " : "");
        dtx_text_quote(text, spec->axes[i].name);
        dtx_text_format(text, ": %d", spec->axes[i].size);
        if (dtx_mul_overflows(positions, spec->axes[i].size, &positions) ||
            positions < 0) {
            positions = 0; /* such a mesh is refused when the text is read */
        }
    }
    dtx_text_add(text, "}\n");
    if (spec->ranks == NULL) {
        return;
    }
    dtx_text_add(text, "ranks: [");
    for (int i = 0; i < positions; i++) {
        dtx_text_format(text, "%s%" PRId64, i > 0 ? ", " : "", spec->ranks[i]);
    }
    dtx_text_add(text, "]\n");
}

/* A placement that is a map or a list stands as it is; a word is quoted, since
 * YAML would cut "_S(0, 2)" in two. */
static void
add_placement(struct dtx_text *text, const struct dtx_axis_placement *placement)
{
    dtx_text_quote(text, placement->axis);
    dtx_text_add(text, ": ");
    if (placement->placement[0] == '{') {
        dtx_text_add(text, placement->placement);
    } else {
        dtx_text_quote(text, placement->placement);
    }
}

static void
add_rule(struct dtx_text *text, const struct dtx_rule_spec *rule)
{
    dtx_text_add(text, "  - name: ");
    dtx_text_quote(text, rule->name);
    dtx_text_add(text, "\n    placements: {");
    for (int i = 0; i < rule->placement_count; i++) {
        dtx_text_add(text, i > 0 ? ", " : "");
        add_placement(text, &rule->placements[i]);
    }
    dtx_text_add(text, "}\n");
    if (rule->dtype != DTX_RAW) {
        dtx_text_format(text, "    dtype: %s\n", dtx_dtype_name(rule->dtype));
    }
}

static void
add_renames(struct dtx_text *text, const struct dtx_layout_spec *spec)
{
    dtx_text_add(text, spec->rename_count > 0 ? "rename:\n" : "");
    for (int i = 0; i < spec->rename_count; i++) {
        dtx_text_add(text, "  - match: ");
        dtx_text_quote(text, spec->renames[i].match);
        dtx_text_add(text, "\n    to: ");
        dtx_text_quote(text, spec->renames[i].to);
        dtx_text_add(text, "\n");
    }
}

enum dtx_status
dtx_layout_build(const struct dtx_layout_spec *spec, const char *name,
                 struct dtx_diagnostics *list, struct dtx_layout **layout_out,
                 struct dtx_error *err)
{
    struct dtx_text text = {0};
    enum dtx_status status;

    add_mesh(&text, spec);
    if (spec->split != NULL) {
        dtx_text_add(&text, "split: ");
        dtx_text_quote(&text, spec->split);
        dtx_text_add(&text, "\n");
    }
    dtx_text_add(&text, spec->rule_count > 0 ? "tensors:\n" : "tensors: []\n");
    for (int i = 0; i < spec->rule_count; i++) {
        add_rule(&text, &spec->rules[i]);
    }
    add_renames(&text, spec);
    status = text.failed ? dtx_error_memory(err)
                         : dtx_layout_parse(text.data, name, ".", DTX_MEMORY,
                                            list, layout_out, err);
    dtx_text_finish(&text);
    return status;
}

const char *
dtx_layout_text(const struct dtx_layout *layout)
{
    return layout->text;
}
