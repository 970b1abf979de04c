/*
 * What the parts of a rule say about each other, as far as it shows without
 * the tensor.
 */
#include "spec/codes.h"
#include "spec/reader.h"

static bool
is_shard(const struct dtx_placement *placement)
{
    return placement->kind == DTX_SHARD;
}

/* An axis that `where` restricts can't divide the tensor too. */
static void
check_where(struct spec_reader *reader, const struct dtx_rule *rule,
            const struct dtx_where *where)
{
    const char *axis = reader->layout->mesh.names[where->axis];

    for (int i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];
        struct dtx_diagnostic *d;

        if (p->axis != where->axis || p->kind == DTX_REPLICATE) {
            continue;
        }
        d = spec_error(&reader->report, SPEC_AXIS_TWICE, where->mark,
                       "axis '%s' is both in 'where' and %s", axis,
                       is_shard(p) ? "sharded" : "partial");
        d->label = "only some coordinates hold the tensor";
        d->second_mark = p->mark;
        d->second_label =
            is_shard(p) ? "all coordinates hold a part" : "all hold a term";
    }
}

static void
check_sizes_first(struct spec_reader *reader, const struct dtx_rule *rule,
                  int index)
{
    const struct dtx_placement *p = &rule->placements[index];

    for (int i = 0; i < index; i++) {
        const struct dtx_placement *before = &rule->placements[i];
        struct dtx_diagnostic *d;

        if (!is_shard(before) || before->dim != p->dim) {
            continue;
        }
        d = spec_error(&reader->report, SPEC_SIZES_FIRST, p->mark,
                       "only the first axis on a dimension can have sizes");
        d->second_mark = before->mark;
        d->second_label =
            spec_format(&reader->report, "'%s' splits dimension %d before",
                        reader->layout->mesh.names[before->axis], before->dim);
        return;
    }
}

static void
check_split_pad(struct spec_reader *reader, const struct dtx_rule *rule,
                const struct dtx_placement *p)
{
    enum dtx_shard_key keys[DTX_SHARD_KEY_COUNT];
    const struct dtx_shard_key_form *form;
    struct dtx_diagnostic *d;

    if (rule->split != DTX_SPLIT_PAD || dtx_placement_keys(p, keys) == 0) {
        return;
    }
    form = &dtx_shard_key_forms[keys[0]];
    d = spec_error(&reader->report, SPEC_SPLIT_PAD, p->mark,
                   "'split: pad' goes with plain shards only");
    d->label = spec_format(&reader->report, "this one has %s",
                           form->is_list ? form->name : form->one);
    d->second_mark = rule->split_mark;
    d->help = rule->has_split ? NULL
                              : "give the rule a split of its own, as in "
                                "'split: chunk'";
}

/* A dimension that a shape given in full doesn't have. */
static void
check_dim(struct spec_reader *reader, const struct dtx_rule *rule, int dim,
          struct dtx_mark mark)
{
    int ndim = rule->shape_count;
    struct dtx_diagnostic *d;

    if (!rule->shape_is_list || (dim >= -ndim && dim < ndim)) {
        return;
    }
    d = spec_error(&reader->report, SPEC_DIM, mark,
                   "there is no dimension %d in a shape of %d", dim, ndim);
    d->second_mark = rule->shape_mark;
    d->help = ndim == 0 ? "a scalar can only be replicated" : NULL;
}

void
spec_check_rule(struct spec_reader *reader, const struct dtx_rule *rule)
{
    for (int i = 0; i < rule->where_count; i++) {
        check_where(reader, rule, &rule->where[i]);
    }
    for (int i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];

        if (!is_shard(p)) {
            continue;
        }
        if (p->keys[DTX_SHARD_SIZES].list != NULL) {
            check_sizes_first(reader, rule, i);
        }
        check_split_pad(reader, rule, p);
        check_dim(reader, rule, p->dim, p->mark);
    }
    for (int i = 0; i < rule->pad_count; i++) {
        check_dim(reader, rule, rule->pad[i].dim, rule->pad[i].mark);
    }
}
