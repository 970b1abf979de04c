/*
 * `placements`: a map from axes, or a list in the order of the mesh.
 */
#include <string.h>

#include "spec/codes.h"
#include "spec/reader.h"

/* True for the first half of a bare _S(0, 2) between brackets or braces, where
 * YAML ends a value at the comma. */
static bool
is_cut_short(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && node->is_plain &&
           strncmp(node->text, "_S(", 3) == 0 &&
           strchr(node->text, ')') == NULL;
}

/* Reports it; rest is the second half. */
static void
refuse_cut(struct spec_reader *reader, const struct yaml_node *node,
           const struct yaml_node *rest)
{
    struct dtx_diagnostic *d =
        spec_error(&reader->report, SPEC_STRIDED_COMMA, node->mark,
                   "YAML ends a bare '%s' at the comma", node->text);

    d->help = spec_format(&reader->report, "put it in quotes: \"%s, %s\"",
                          node->text, rest->text);
}

static bool
is_rest(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && strchr(node->text, ')') != NULL &&
           strchr(node->text, '(') == NULL;
}

static void
read_map(struct spec_reader *reader, const struct yaml_node *node,
         struct dtx_placement *placements, int *count)
{
    for (int i = 0; i < node->count; i++) {
        const struct yaml_node *value = yaml_value(node, i);
        struct dtx_placement *p = &placements[*count];

        if (is_cut_short(value) && i + 1 < node->count &&
            is_rest(yaml_key(node, i + 1))) {
            refuse_cut(reader, value, yaml_key(node, ++i));
            continue;
        }
        p->axis = spec_axis(reader, yaml_key(node, i));
        if (p->axis >= 0 && spec_read_placement(reader, value, p)) {
            (*count)++;
        }
    }
}

static void
refuse_surplus(struct spec_reader *reader, const struct yaml_node *node,
               const struct yaml_node *list)
{
    const struct dtx_mesh *mesh = &reader->layout->mesh;

    if (!reader->axes_known) {
        return;
    }
    spec_error(&reader->report, SPEC_PLACEMENT_COUNT, node->mark,
               "more placements than the mesh has axes (%d)", mesh->axis_count)
        ->help = spec_format(&reader->report,
                             "a list has one placement per axis, in the order "
                             "of the mesh; this one has %d",
                             list->count);
}

static void
read_list(struct spec_reader *reader, const struct yaml_node *node,
          struct dtx_placement *placements, int *count)
{
    int axis = 0;

    for (int i = 0; i < node->count; i++, axis++) {
        const struct yaml_node *item = &node->items[i];
        struct dtx_placement *p = &placements[*count];

        if (axis == reader->layout->mesh.axis_count) {
            refuse_surplus(reader, item, node);
            return;
        }
        if (is_cut_short(item) && i + 1 < node->count &&
            is_rest(&node->items[i + 1])) {
            refuse_cut(reader, item, &node->items[++i]);
            continue;
        }
        p->axis = axis;
        if (spec_read_placement(reader, item, p)) {
            (*count)++;
        }
    }
}

void
spec_read_placements(struct spec_reader *reader, const struct yaml_node *node,
                     struct dtx_rule *rule)
{
    struct dtx_placement *placements;
    int count = 0;

    if (node->kind == YAML_INVALID) {
        return;
    }
    if (node->kind == YAML_SCALAR) {
        spec_error(&reader->report, SPEC_TYPE, node->mark,
                   "placements must be a map or a list")
            ->help = "write a map from axes, as in {tp: shard(0)}, or {} where "
                     "all ranks hold it whole";
        return;
    }
    /* No axis comes twice, so the mesh bounds what is kept; one more is
     * looked at before it is refused. */
    placements = spec_alloc(reader, reader->layout->mesh.axis_count + 1,
                            sizeof *placements);
    if (placements == NULL) {
        return;
    }
    if (node->kind == YAML_MAP) {
        read_map(reader, node, placements, &count);
    } else {
        read_list(reader, node, placements, &count);
    }
    rule->placement_count = count;
    rule->placements = placements;
}
