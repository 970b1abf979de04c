#include "propose/rule.h"

#include <inttypes.h>

#include "layout/layout.h"

static void
add_note(struct proposal *p, const char *note)
{
    dtx_text_add(&p->note, p->note.length > 0 ? "\n" : "");
    dtx_text_add(&p->note, note);
}

/* The position that differs from the first that has the tensor only along an
 * axis. */
static int
position_along(const struct proposal *p, int tensor, int axis, int coordinate)
{
    const int *datasets = p->e->tensors[tensor].datasets;
    int first = 0;

    while (datasets[first] < 0) {
        first++;
    }
    return first + (coordinate - dtx_mesh_coordinate(&p->mesh, first, axis)) *
                       p->mesh.strides[axis];
}

/* True where the pieces along the only axis of a dim are as a rule of
 * splitting has them. */
static bool
is_split_by(const struct proposal *p, int group, int axis, int dim,
            enum dtx_split split)
{
    int tensor = p->e->groups[group].first, c;
    int64_t whole = decide_stored(&p->decisions, group, dim);
    int64_t count = p->mesh.sizes[axis];

    for (c = 0; c < count; c++) {
        int64_t extent = evidence_extent(
            p->e, tensor, position_along(p, tensor, axis, c), dim);
        int64_t chunk = (whole + count - 1) / count;
        int64_t left = whole - c * chunk;
        int64_t want = split == DTX_SPLIT_BALANCED
                           ? whole / count + (c < whole % count)
                           : (left < 0       ? 0
                              : left < chunk ? left
                                             : chunk);

        if ((extent < 0 ? 0 : extent) != want) {
            return false;
        }
    }
    return true;
}

static void
add_sizes(struct proposal *p, int group, int axis, int dim)
{
    int tensor = p->e->groups[group].first, c;

    dtx_text_format(&p->body, "{shard: %d, sizes: [", dim);
    for (c = 0; c < p->mesh.sizes[axis]; c++) {
        int64_t extent = evidence_extent(
            p->e, tensor, position_along(p, tensor, axis, c), dim);

        dtx_text_format(&p->body, "%s%" PRId64, c > 0 ? ", " : "",
                        extent < 0 ? 0 : extent);
    }
    dtx_text_add(&p->body, "]}");
}

/* True where an axis is the only one that shards a dim. */
static bool
is_alone(const struct proposal *p, int group, int axis, int dim)
{
    int other;

    for (other = 0; other < p->mesh.axis_count; other++) {
        if (other != axis &&
            decide_get(&p->decisions, group, other)->dim == dim) {
            return false;
        }
    }
    return true;
}

static void
add_segments(struct proposal *p, int dim, int count, const int64_t *lengths)
{
    struct dtx_placement fused = {
        .kind = DTX_SHARD,
        .dim = dim,
        .keys = {[DTX_SHARD_SEGMENTS] = {count, lengths}}};

    dtx_placement_write(&fused, &p->body);
    add_note(p, "ambiguous: a fused tensor, by its name; each part is taken to "
                "be split by itself. Where it isn't, drop the segments.");
}

/* Adds what an axis does; *balanced is set where the rule must say that. */
static void
add_shard(struct proposal *p, int group, int axis, bool *balanced)
{
    const struct decision *made = decide_get(&p->decisions, group, axis);
    const char *name = p->e->tensors[p->e->groups[group].first].name;
    struct propose_convention c = propose_convention_of(name);
    int64_t lengths[3];
    int parts = 0, dim = made->dim;

    if (p->decisions.styles[axis] == STYLE_TENSOR) {
        parts = propose_parts(c, decide_stored(&p->decisions, group, dim),
                              p->decisions.width, lengths);
    }
    if (parts > 0) {
        add_segments(p, dim, parts, lengths);
    } else if (!is_alone(p, group, axis, dim) ||
               is_split_by(p, group, axis, dim, DTX_SPLIT_CHUNK)) {
        dtx_text_format(&p->body, "shard(%d)", dim);
    } else if (is_split_by(p, group, axis, dim, DTX_SPLIT_BALANCED)) {
        dtx_text_format(&p->body, "shard(%d)", dim);
        *balanced = true;
    } else {
        add_sizes(p, group, axis, dim);
    }
    if (made->reason == GUESSED && !made->is_untold) {
        add_note(p, "ambiguous: the shards have equal shapes and no usual "
                    "name; which dimension is split is a guess.");
    }
}

/* The axes in the order in which they act: tensor parallelism first, as FSDP
 * over it has it. */
static int
order_axes(const struct proposal *p, int *axes_out)
{
    int count = 0, axis, turn;

    for (turn = 0; turn < 2; turn++) {
        for (axis = 0; axis < p->mesh.axis_count; axis++) {
            bool is_first = p->decisions.styles[axis] != STYLE_SHARDED;

            if (is_first == (turn == 0)) {
                axes_out[count++] = axis;
            }
        }
    }
    return count;
}

/* Whether values don't tell about an axis that matters. */
static void
note_untold(struct proposal *p, int group)
{
    bool is_untold = false, is_term = false;
    int axis, dim;

    for (axis = 0; axis < p->mesh.axis_count; axis++) {
        const struct decision *made = decide_get(&p->decisions, group, axis);

        is_untold |= made->is_untold;
        is_term |= made->is_term;
    }
    if (is_untold) {
        add_note(p, "ambiguous: all elements are equal, so that replicas look "
                    "like shards.");
    }
    if (is_term) {
        add_note(p, "ambiguous: ranks have different values of this scalar. "
                    "Taken for replicas; sums that are still to be added up "
                    "are partial(sum).");
    }
    for (dim = 0; dim < p->e->groups[group].ndim; dim++) {
        int count = 0;

        for (axis = 0; axis < p->mesh.axis_count; axis++) {
            count += decide_get(&p->decisions, group, axis)->dim == dim;
        }
        if (count > 1) {
            add_note(p, "ambiguous: several axes split one dimension; the "
                        "first that is named splits first.");
        }
    }
}

/* Zeros at the end of a split dimension may be padding. */
static void
note_zeros(struct proposal *p, int group)
{
    int tensor = p->e->groups[group].first, position;
    int last = -1;

    for (position = 0; position < p->e->position_count; position++) {
        int dataset = p->e->tensors[tensor].datasets[position];

        last = dataset >= 0 ? dataset : last;
    }
    if (last >= 0 && p->e->samples[last].ends_in_zeros) {
        dtx_text_add(&p->note, p->note.length > 0 ? "\n" : "");
        dtx_text_format(&p->note,
                        "ambiguous: its last rows are zeros. If they are "
                        "padding, say so with pad: {0: %" PRId64
                        "} and shape: {0: EXTENT}.",
                        decide_stored(&p->decisions, group, 0));
    }
}

/* What the table says is shorter than what is stored. */
static void
add_padding(struct proposal *p, int group)
{
    struct dtx_text shape = {0}, pad = {0};
    const char *before = "";
    int dim;

    for (dim = 0; dim < p->e->groups[group].ndim; dim++) {
        int64_t logical = decide_logical(&p->decisions, group, dim);
        int64_t stored = decide_stored(&p->decisions, group, dim);

        if (logical >= 0 && logical < stored) {
            dtx_text_format(&shape, "%s%d: %" PRId64, before, dim, logical);
            dtx_text_format(&pad, "%s%d: %" PRId64, before, dim, stored);
            before = ", ";
        }
    }
    if (pad.length > 0) {
        dtx_text_format(&p->body, "    shape: {%s}\n    pad: {%s}\n",
                        shape.data, pad.data);
    } else if (decide_logical(&p->decisions, group, 0) < 0 &&
               p->e->groups[group].ndim > 0) {
        note_zeros(p, group);
    }
    p->body.failed |= shape.failed || pad.failed;
    dtx_text_finish(&shape);
    dtx_text_finish(&pad);
}

static void
add_placements(struct proposal *p, int group)
{
    int axes[DTX_AXIS_MAX];
    int count = order_axes(p, axes), i;
    const char *before = "";
    bool balanced = false;

    dtx_text_add(&p->body, "\n    placements: {");
    for (i = 0; i < count; i++) {
        if (decide_get(&p->decisions, group, axes[i])->dim >= 0) {
            dtx_text_format(&p->body, "%s%s: ", before, p->mesh.names[axes[i]]);
            add_shard(p, group, axes[i], &balanced);
            before = ", ";
        }
    }
    dtx_text_add(&p->body, "}\n");
    if (balanced) {
        dtx_text_add(&p->body, "    split: balanced\n");
    }
    note_untold(p, group);
    add_padding(p, group);
}

/* Adds who holds a tensor, along the axes where some coordinates don't. */
static void
add_where(struct proposal *p, int tensor)
{
    const char *before = "    where: {";
    bool has_any = false;
    int axis, c;

    for (axis = 0; axis < p->mesh.axis_count; axis++) {
        const char *comma = "";
        bool is_whole = true;

        for (c = 0; c < p->mesh.sizes[axis]; c++) {
            is_whole &= evidence_is_at(p->e, tensor, &p->mesh, axis, c);
        }
        if (is_whole || numbers_entry_of(&p->numbers, tensor, axis) != NULL ||
            decide_get(&p->decisions, p->e->tensors[tensor].group, axis)->dim >=
                0) {
            continue;
        }
        dtx_text_format(&p->body, "%s%s: [", before, p->mesh.names[axis]);
        for (c = 0; c < p->mesh.sizes[axis]; c++) {
            if (evidence_is_at(p->e, tensor, &p->mesh, axis, c)) {
                dtx_text_format(&p->body, "%s%d", comma, c);
                comma = ", ";
            }
        }
        dtx_text_add(&p->body, "]");
        before = ", ";
        has_any = true;
    }
    dtx_text_add(&p->body, has_any ? "}\n" : "");
}

void
rule_describe(struct proposal *p, int tensor)
{
    p->body.length = p->note.length = 0;
    add_placements(p, p->e->tensors[tensor].group);
    add_where(p, tensor);
}
