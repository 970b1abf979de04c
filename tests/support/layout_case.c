#include "support/layout_case.h"

#include <inttypes.h>
#include <string.h>

enum { AXES_MOST = 4, LAYER_COUNT = 4 };

/* One layout while it is written. */
struct writer {
    struct random *random;
    struct dtx_text *text;
    bool is_target;
    int axis_count;
    const char *axes[AXES_MOST];
    int sizes[AXES_MOST];
    bool is_told[AXES_MOST]; /* by path or dataset */
    bool is_global;
    bool is_numbered; /* over axis 0 */
    size_t body;      /* where the last rule begins behind its name */
};

/* A dim while a rule is written. */
struct dim {
    int64_t stored;
    bool is_cut;
};

/* ---------------------------------------------------------------- meshes */

static int
position_count(const struct writer *w)
{
    int count = 1;

    for (int i = 0; i < w->axis_count; i++) {
        count *= w->sizes[i];
    }
    return count;
}

static void
make_mesh(struct writer *w, int positions_most)
{
    static const char *const names[] = {"dp", "tp", "ep"};
    static const int counts[] = {0, 1, 1, 2, 2, 2, 3};
    static const int sizes[] = {1, 2, 2, 3, 4, 4, 5, 8};
    int others = counts[random_pick(w->random, 0, 6)];
    int first = random_pick(w->random, 0, 2);

    w->is_numbered = random_chance(w->random, 30);
    if (w->is_numbered) {
        w->axes[0] = "pp";
        w->sizes[0] = random_pick(w->random, 1, 2);
        w->axis_count = 1;
    }
    for (int i = 0; i < others; i++) {
        w->axes[w->axis_count] = names[(first + i) % 3];
        w->sizes[w->axis_count++] = sizes[random_pick(w->random, 0, 7)];
    }
    while (position_count(w) > positions_most) {
        w->sizes[w->axis_count - 1 - random_pick(w->random, 0, others - 1)] = 1;
    }
    dtx_text_add(w->text, "mesh: {");
    for (int i = 0; i < w->axis_count; i++) {
        dtx_text_format(w->text, "%s%s: %d", i > 0 ? ", " : "", w->axes[i],
                        w->sizes[i]);
    }
    dtx_text_add(w->text, "}\n");
}

/* Distinct numbers in any order. */
static void
add_ranks(struct writer *w)
{
    int count = position_count(w);
    int step = random_pick(w->random, 1, 3);
    int turn = random_pick(w->random, 0, count - 1);

    if (!random_chance(w->random, 30)) {
        return;
    }
    dtx_text_add(w->text, "ranks: [");
    for (int i = 0; i < count; i++) {
        dtx_text_format(w->text, "%s%d", i > 0 ? ", " : "",
                        (count - 1 - (i + turn) % count) * step);
    }
    dtx_text_add(w->text, "]\n");
}

/* ---------------------------------------------------------------- files */

/* A file for each coordinate of the axes that are told. */
static void
add_axis_path(struct writer *w, const char *folder)
{
    dtx_text_format(w->text, "checkpoint: {path: \"%s/model", folder);
    for (int i = 0; i < w->axis_count; i++) {
        w->is_told[i] = !random_chance(w->random, 25);
        if (w->is_told[i]) {
            dtx_text_format(w->text, "-%s_{%s:02}", w->axes[i], w->axes[i]);
        }
    }
    dtx_text_add(w->text, ".h5\", dataset: \"model/{name}\"}\n");
}

static void
add_checkpoint(struct writer *w)
{
    const char *folder = w->is_target ? "dst" : "src";

    for (int i = 0; i < w->axis_count; i++) {
        w->is_told[i] = true;
    }
    switch (random_pick(w->random, 0, 5)) {
    case 0:
        dtx_text_format(w->text,
                        "checkpoint: {path: \"%s/all.h5\", "
                        "dataset: \"rank-{rank}/{name}\"}\n",
                        folder);
        break;
    case 1:
        add_axis_path(w, folder);
        break;
    case 2:
        w->is_global = true;
        dtx_text_format(w->text,
                        "checkpoint: {path: \"%s/model.h5\", view: global}\n",
                        folder);
        break;
    default:
        dtx_text_format(
            w->text, "checkpoint: {path: \"%s/rank-{rank:05}.h5\"}\n", folder);
    }
}

static void
add_numbered(struct writer *w)
{
    static const char *const one[] = {"[4]", "4", "[[0-3]]", "[[1, 3, 0, 2]]"};
    static const char *const two[] = {"[2, 2]",          "4",
                                      "[1, 3]",          "[[0, 2], [1, 3]]",
                                      "[[3, 0], [1-2]]", "[4, 0]"};
    const char *held = w->sizes[0] == 1 ? one[random_pick(w->random, 0, 3)]
                                        : two[random_pick(w->random, 0, 5)];
    bool may_be_local = !w->is_global && (w->is_told[0] || w->sizes[0] == 1);

    if (w->is_numbered) {
        dtx_text_format(w->text,
                        "numbered:\n  - {name: \"layers.{n}.**\", axis: pp, "
                        "held: %s%s}\n",
                        held,
                        may_be_local && random_chance(w->random, 50)
                            ? ", stored: local"
                            : "");
    }
}

/* ---------------------------------------------------------------- rules */

/* Cuts a length at random places, and writes the parts as a list. */
static void
add_lengths(struct writer *w, int64_t length, int parts)
{
    dtx_text_add(w->text, "[");
    for (int i = 0; i < parts - 1; i++) {
        int64_t part = random_pick(w->random, 0, (int)length);

        length -= part;
        dtx_text_format(w->text, "%" PRId64 ", ", part);
    }
    dtx_text_format(w->text, "%" PRId64 "]", length);
}

static void
add_segments(struct writer *w, int dim, int64_t length)
{
    dtx_text_format(w->text, "{shard: %d, segments: ", dim);
    add_lengths(w, length, random_pick(w->random, 1, 3));
    dtx_text_add(w->text, random_chance(w->random, 20) ? ", block: 2}" : "}");
}

/* The value of a placement that shards a dim. plain: nothing beyond it. */
static void
add_shard(struct writer *w, int ndim, int dim, const struct dim *d, int parts,
          bool plain)
{
    int written = random_chance(w->random, 20) ? dim - ndim : dim;

    switch (plain ? 9 : random_pick(w->random, 0, 9)) {
    case 0:
        if (!d->is_cut) {
            dtx_text_format(w->text, "{shard: %d, sizes: ", written);
            add_lengths(w, d->stored, parts);
            dtx_text_add(w->text, "}");
            break;
        }
        dtx_text_format(w->text, "S(%d)", written);
        break;
    case 1:
        dtx_text_format(w->text, "{shard: %d, block: %d}", written,
                        random_pick(w->random, 2, 4));
        break;
    case 2:
        add_segments(w, written, d->stored);
        break;
    case 3:
        dtx_text_format(w->text, "\"_S(%d, 2)\"", written);
        break;
    case 4:
        dtx_text_format(w->text, "{shard: %d, split_factor: 3}", written);
        break;
    default:
        dtx_text_format(w->text, "shard(%d)", written);
    }
}

static void
add_where(struct writer *w, int axis)
{
    int size = w->sizes[axis];
    int first = random_pick(w->random, 0, size - 1);
    int last = random_pick(w->random, first, size - 1);

    dtx_text_format(w->text, "    where: {%s: [", w->axes[axis]);
    for (int i = first; i < last; i++) {
        dtx_text_format(w->text, "%d, ", i);
    }
    dtx_text_format(w->text, "%d]}\n",
                    random_chance(w->random, 20) ? last - size : last);
}

static void
add_shape(struct writer *w, const struct case_tensor *t)
{
    dtx_text_add(w->text, "    shape: [");
    for (int i = 0; i < t->ndim; i++) {
        dtx_text_format(w->text, "%s%" PRId64, i > 0 ? ", " : "", t->shape[i]);
    }
    dtx_text_add(w->text, "]\n");
}

/* Pads one dim. */
static void
add_pad(struct writer *w, const struct case_tensor *t, struct dim *dims)
{
    int dim = random_pick(w->random, 0, t->ndim - 1);
    int multiple = random_pick(w->random, 2, 8);

    if (random_chance(w->random, 50)) {
        dims[dim].stored += random_pick(w->random, 0, 3);
        dtx_text_format(w->text, "    pad: {%d: %" PRId64 "}\n", dim,
                        dims[dim].stored);
    } else {
        while (dims[dim].stored % multiple != 0) {
            dims[dim].stored++;
        }
        dtx_text_format(w->text, "    pad: {%d: {multiple: %d}}\n", dim,
                        multiple);
    }
    add_shape(w, t);
}

/* Axes that a rule may still use, in random order; returns how many. */
static int
shuffle_axes(struct writer *w, bool is_layer, int *axes)
{
    int count = 0;

    for (int axis = 0; axis < w->axis_count; axis++) {
        int other = random_pick(w->random, 0, count);

        if (axis == 0 && is_layer && w->is_numbered) {
            continue;
        }
        axes[count] = axes[other];
        axes[other] = axis;
        count++;
    }
    return count;
}

static bool
has_terms(enum dtx_dtype dtype)
{
    return dtype == DTX_FLOAT32 || dtype == DTX_FLOAT64 || dtype == DTX_INT16;
}

static void
add_placements(struct writer *w, const struct case_tensor *t, const int *axes,
               int axis_count, bool plain, struct dim *dims)
{
    static const char *const ops[] = {"sum", "min", "max", "product"};
    bool may_reduce = has_terms(t->src_dtype) && !w->is_global &&
                      random_chance(w->random, 30);
    const char *comma = "";

    dtx_text_add(w->text, "    placements: {");
    for (int i = 0; i < axis_count; i++) {
        int roll = random_pick(w->random, 1, 100);
        int dim = t->ndim > 0 ? random_pick(w->random, 0, t->ndim - 1) : 0;
        bool is_told = w->is_told[axes[i]] || w->is_global;

        if (roll > 85) {
            continue;
        }
        dtx_text_format(w->text, "%s%s: ", comma, w->axes[axes[i]]);
        comma = ", ";
        if (roll <= 60 && t->ndim > 0 && is_told) {
            add_shard(w, t->ndim, dim, &dims[dim], w->sizes[axes[i]], plain);
            dims[dim].is_cut = true;
        } else if (roll <= 75 && may_reduce && is_told) {
            dtx_text_format(w->text, "partial(%s)",
                            ops[random_pick(w->random, 0, 3)]);
        } else {
            dtx_text_add(w->text, roll % 2 == 0 ? "R" : "replicate");
        }
    }
    dtx_text_add(w->text, "}\n");
}

static bool
is_layer(const struct case_tensor *t)
{
    return strncmp(t->name, "layers.", 7) == 0;
}

/* What a rule says behind its name. */
static void
add_rule_body(struct writer *w, const struct case_tensor *t)
{
    struct dim dims[CASE_NDIM_MOST] = {0};
    int axes[AXES_MOST];
    int axis_count = shuffle_axes(w, is_layer(t), axes);
    bool is_padded = false, plain = false;

    for (int i = 0; i < t->ndim; i++) {
        dims[i].stored = t->shape[i];
    }
    if (axis_count > 0 && random_chance(w->random, 25)) {
        add_where(w, axes[--axis_count]);
    }
    if (t->ndim > 0 && !w->is_global && random_chance(w->random, 25)) {
        is_padded = true;
        add_pad(w, t, dims);
    }
    if (random_chance(w->random, 40)) {
        plain = !is_padded && !w->is_global && random_chance(w->random, 50);
        dtx_text_format(w->text, "    split: %s\n", plain ? "pad" : "balanced");
    }
    if (plain || (!is_padded && random_chance(w->random, 15))) {
        add_shape(w, t);
    }
    if (w->is_target && t->dst_dtype != t->src_dtype) {
        dtx_text_format(w->text, "    dtype: %s\n",
                        dtx_dtype_name(t->dst_dtype));
    }
    add_placements(w, t, axes, axis_count, plain, dims);
}

static void
add_rule(struct writer *w, const struct case_tensor *t)
{
    char *last = NULL;

    if (t->is_like_last) {
        last = strdup(w->text->data + w->body);
    }
    dtx_text_format(w->text, "  - name: \"%s\"\n",
                    w->is_target ? t->target_name : t->name);
    w->body = w->text->length;
    if (last != NULL) {
        dtx_text_add(w->text, last);
    } else {
        add_rule_body(w, t);
    }
    free(last);
}

/* ---------------------------------------------------------------- tensors */

static void
choose_shape(struct random *random, struct case_tensor *t)
{
    static const int ndims[] = {0, 1, 1, 2, 2, 2, 2, 3, 4};
    static const int extents[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 17};

    t->ndim = ndims[random_pick(random, 0, 8)];
    for (int i = 0; i < t->ndim; i++) {
        t->shape[i] = extents[random_pick(
            random, random_chance(random, 5) ? 0 : 1, t->ndim > 2 ? 6 : 12)];
    }
}

static void
choose_dtypes(struct random *random, struct case_tensor *t)
{
    static const enum dtx_dtype dtypes[] = {DTX_FLOAT32, DTX_FLOAT32,
                                            DTX_FLOAT64, DTX_BFLOAT16,
                                            DTX_INT16,   DTX_UINT8};
    static const enum dtx_dtype floats[] = {DTX_FLOAT32, DTX_FLOAT64,
                                            DTX_BFLOAT16, DTX_FLOAT16};

    t->src_dtype = t->dst_dtype = dtypes[random_pick(random, 0, 5)];
    if (t->src_dtype != DTX_UINT8 && t->src_dtype != DTX_INT16 &&
        random_chance(random, 30)) {
        t->dst_dtype = floats[random_pick(random, 0, 3)];
    }
}

/* Makes a tensor as the one before it. */
static void
repeat_last(struct case_tensor *t)
{
    t->is_like_last = true;
    t->ndim = t[-1].ndim;
    memcpy(t->shape, t[-1].shape, sizeof t->shape);
    t->src_dtype = t[-1].src_dtype;
    t->dst_dtype = t[-1].dst_dtype;
}

static void
choose_tensors(struct random *random, bool is_renamed, struct layout_case *out)
{
    static const char *const names[CASE_TENSORS_MOST] = {"embed.weight",
                                                         "layers.0.attn.wq",
                                                         "layers.1.attn.wq",
                                                         "layers.2.attn/wo",
                                                         "layers.3.attn/wo",
                                                         "head.bias",
                                                         "norm",
                                                         "step"};

    for (int i = 0; i < CASE_TENSORS_MOST; i++) {
        struct case_tensor *t = &out->tensors[out->tensor_count];

        if (i > 0 && random_chance(random, 40)) { /* one at least */
            continue;
        }
        snprintf(t->name, sizeof t->name, "%s", names[i]);
        snprintf(t->target_name, sizeof t->target_name, "%s%s",
                 is_renamed ? "model." : "", names[i]);
        choose_shape(random, t);
        choose_dtypes(random, t);
        if (out->tensor_count > 0 && is_layer(t) && is_layer(t - 1) &&
            random_chance(random, 50)) {
            repeat_last(t);
        }
        out->tensor_count++;
    }
}

static void
write_layout(struct random *random, int positions_most, bool is_target,
             bool is_renamed, struct layout_case *out)
{
    struct writer w = {.random = random,
                       .text = is_target ? &out->target : &out->source,
                       .is_target = is_target};

    make_mesh(&w, positions_most);
    add_ranks(&w);
    add_checkpoint(&w);
    if (random_chance(random, 20)) {
        dtx_text_add(w.text, "split: balanced\n");
    }
    add_numbered(&w);
    if (is_target && is_renamed) {
        dtx_text_add(w.text, "rename:\n  - {match: '^(.*)$', to: "
                             "'model.\\1'}\n");
    }
    dtx_text_add(w.text, "tensors:\n");
    for (int i = 0; i < out->tensor_count; i++) {
        add_rule(&w, &out->tensors[i]);
    }
}

void
layout_case_make(struct random *random, int positions_most,
                 struct layout_case *out)
{
    bool is_renamed = random_chance(random, 15);

    *out = (struct layout_case){0};
    choose_tensors(random, is_renamed, out);
    write_layout(random, positions_most, false, is_renamed, out);
    write_layout(random, positions_most, true, is_renamed, out);
}

void
layout_case_finish(struct layout_case *c)
{
    dtx_text_finish(&c->source);
    dtx_text_finish(&c->target);
}
