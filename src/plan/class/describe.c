#include "plan/class/describe.h"

#include "util/text.h"

const char *
dtx_describe_placements(const struct dtx_layout *layout,
                        const struct dtx_rule *rule, int ndim,
                        struct dtx_names *names)
{
    struct dtx_text text = {0};
    const char *result = NULL;
    int i, number;

    for (i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];

        if (p->kind == DTX_REPLICATE || layout->mesh.sizes[p->axis] == 1) {
            continue;
        }
        dtx_text_add(&text, text.length > 0 ? ", " : "");
        dtx_placement_describe(p, ndim, &text);
        dtx_text_format(&text, " %s/%d", layout->mesh.names[p->axis],
                        layout->mesh.sizes[p->axis]);
    }
    if (text.length == 0) {
        dtx_text_add(&text,
                     layout->mesh.position_count > 1 ? "replicated" : "whole");
    }
    number = text.failed ? -1 : dtx_names_add(names, text.data);
    if (number >= 0) {
        result = names->strings[number];
    }
    dtx_text_finish(&text);
    return result;
}
