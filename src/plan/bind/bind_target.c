#include "plan/bind/bind_target.h"

#include <inttypes.h>
#include <string.h>

#include "layout/convert.h"
#include "layout/reduce.h"
#include "plan/bind/clash.h"
#include "plan/bind/holders.h"
#include "plan/bind/refuse.h"
#include "plan/bind/target_view.h"
#include "plan/map/idle.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/glob.h"
#include "util/path.h"

static const struct dtx_mark nowhere = {0, 0, 0};

/* What binding to the target needs. */
struct binder {
    struct dtx_plan *plan;
    const struct dtx_binding *source;
    struct dtx_diagnostics *list;
    struct dtx_names names; /* of the target, to see clashes and idle rules */
    const char **sources;   /* [names.count] the source name of each */
    int *rule_uses;
};

static bool
matches_any(const char *const *globs, int count, const char *name)
{
    int i;

    for (i = 0; i < count; i++) {
        if (dtx_glob_match(globs[i], name)) {
            return true;
        }
    }
    return false;
}

static bool
is_wanted(const struct dtx_plan_options *options, const char *name)
{
    return (options->include_count == 0 ||
            matches_any(options->include, options->include_count, name)) &&
           !matches_any(options->exclude, options->exclude_count, name);
}

/* What makes a name one that the finished target would not be read by; NULL:
 * nothing. */
static const char *
find_fault(const char *name)
{
    struct dtx_text glob = {0};
    bool is_long = strlen(name) > DTX_GLOB_LENGTH_MAX / 3;

    if (dtx_path_has_idle_part(name)) {
        return "has a part between slashes that is empty or '.'";
    }
    if (is_long) {
        dtx_glob_quote(&glob, name);
        is_long = glob.failed || glob.length > DTX_GLOB_LENGTH_MAX;
        dtx_text_finish(&glob);
    }
    return is_long ? "is too long for a manifest" : NULL;
}

/* Registers a target name; two source tensors can't have the same. */
static enum dtx_status
take_name(struct binder *b, const char *name, const char *source_name,
          struct dtx_error *err)
{
    const char *fault = find_fault(name);
    int before = b->names.count;
    int number = dtx_names_add(&b->names, name);

    if (fault != NULL) {
        return dtx_refuse(b->plan->target, dtx_rename_mark(b->plan->target),
                          "E217", b->list, err,
                          "the name that '%.100s' gets %s: '%.100s'",
                          source_name, fault, name);
    }
    if (number < 0) {
        return dtx_error_memory(err);
    }
    if (number < before) {
        return dtx_refuse(b->plan->target, b->plan->target->renames->mark,
                          "E210", b->list, err,
                          "'%s' and '%s' are both renamed to '%s'",
                          b->sources[number], source_name, name);
    }
    b->sources[number] = source_name;
    return DTX_OK;
}

static enum dtx_status
find_rule(struct binder *b, const char *name, int *rule_out,
          struct dtx_error *err)
{
    *rule_out = dtx_layout_find_rule(b->plan->target, name);
    if (*rule_out < 0) {
        return dtx_refuse(b->plan->target, nowhere, "E201", b->list, err,
                          "no rule of %s matches the tensor '%s'",
                          b->plan->target->file, name);
    }
    b->rule_uses[*rule_out]++;
    return DTX_OK;
}

/* A rule for what is left out by name is no idle rule. */
static void
leave_out(struct binder *b, const char *name)
{
    int rule = dtx_layout_find_rule(b->plan->target, name);

    if (rule >= 0) {
        b->rule_uses[rule]++;
    }
    b->plan->totals.excluded_count++;
}

/* ---------------------------------------------------------------- tensors */

/* A target's sum or product stands at coordinate 0 of its axis alone. */
static void
place_partials(const struct dtx_rule *rule, struct dtx_presence *presence)
{
    static const int first[] = {0};
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];

        if (p->kind == DTX_PARTIAL &&
            (p->op == DTX_SUM || p->op == DTX_PRODUCT)) {
            presence->coordinates[p->axis] = first;
            presence->counts[p->axis] = 1;
        }
    }
}

static enum dtx_status
check_target_shape(struct binder *b, const struct dtx_rule *rule,
                   const struct dtx_tensor *t, struct dtx_error *err)
{
    int i;

    if (rule->has_shape && rule->shape_is_list &&
        rule->shape_count != t->ndim) {
        return dtx_refuse(b->plan->target, rule->shape_mark, "E204", b->list,
                          err,
                          "tensor '%s' has %d dimensions, 'shape' gives %d",
                          t->dst_name, t->ndim, rule->shape_count);
    }
    for (i = 0; rule->has_shape && i < rule->shape_count; i++) {
        int dim = rule->shape[i].dim;

        dim = dim < 0 ? dim + t->ndim : dim;
        if (dim < 0 || dim >= t->ndim) {
            return dtx_refuse(b->plan->target, rule->shape[i].mark, "E204",
                              b->list, err, "tensor '%s' has no dimension %d",
                              t->dst_name, rule->shape[i].dim);
        }
        if (rule->shape[i].extent != t->shape[dim]) {
            return dtx_refuse(
                b->plan->target, rule->shape[i].mark, "E206", b->list, err,
                "tensor '%s' has %" PRId64
                " elements in dimension %d, 'shape' says "
                "%" PRId64,
                t->dst_name, t->shape[dim], dim, rule->shape[i].extent);
        }
    }
    return DTX_OK;
}

static enum dtx_status
set_type(struct binder *b, const struct dtx_rule *rule, struct dtx_tensor *t,
         struct dtx_error *err)
{
    t->dst_type = t->src_type;
    if (!rule->has_dtype || rule->dtype == t->src_type.dtype) {
        return DTX_OK;
    }
    if (!dtx_convert_is_possible(t->src_type.dtype, rule->dtype)) {
        return dtx_refuse(b->plan->target, rule->dtype_mark, "E211", b->list,
                          err, "'%s' can't be converted from %s to %s",
                          t->dst_name, dtx_dtype_name(t->src_type.dtype),
                          dtx_dtype_name(rule->dtype));
    }
    t->dst_type = dtx_type_of(rule->dtype);
    return DTX_OK;
}

/* A pending reduction must be one that its dtype has. */
static enum dtx_status
check_reductions(struct binder *b, const struct dtx_layout *layout,
                 const struct dtx_rule *rule, const char *name,
                 enum dtx_dtype dtype, struct dtx_error *err)
{
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];

        if (p->kind == DTX_PARTIAL && !dtx_reduce_is_possible(p->op, dtype)) {
            return dtx_refuse(layout, p->mark, "E213", b->list, err,
                              "'%s' is %s, which has no such reduction", name,
                              dtx_dtype_name(dtype));
        }
    }
    return DTX_OK;
}

/* The same for both sides of a tensor. */
static enum dtx_status
check_both_reductions(struct binder *b, const struct dtx_tensor *t,
                      struct dtx_error *err)
{
    const struct dtx_layout *source = b->plan->source;
    const struct dtx_layout *target = b->plan->target;
    enum dtx_status status =
        check_reductions(b, source, &source->rules[t->src_rule], t->src_name,
                         t->src_type.dtype, err);

    return status != DTX_OK
               ? status
               : check_reductions(b, target, &target->rules[t->dst_rule],
                                  t->dst_name, t->dst_type.dtype, err);
}

/* The target side of a tensor: its tiling, holders and map. */
static enum dtx_status
make_side(struct binder *b, const struct dtx_tensor *t,
          const struct dtx_side **side_out, struct dtx_error *err)
{
    struct dtx_plan *plan = b->plan;
    const struct dtx_rule *rule = &plan->target->rules[t->dst_rule];
    struct dtx_intern *intern = b->source->intern;
    struct dtx_presence presence;
    const struct dtx_tiling *tiling;
    enum dtx_status status = dtx_layout_presence(
        plan->target, rule, t->dst_name, &plan->arena, &presence, err);

    if (status == DTX_ERR_INVALID) {
        return dtx_refuse_number(plan->target, t->dst_name, b->list, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    tiling = dtx_intern_tiling(intern, plan->target, rule, t->dst_name, t->ndim,
                               t->shape, b->list);
    if (tiling == NULL) {
        return dtx_diagnostics_error_count(b->list) > 0
                   ? dtx_error_set(err, DTX_ERR_INVALID,
                                   "%s doesn't fit the tensor '%s'",
                                   plan->target->file, t->dst_name)
                   : dtx_error_memory(err);
    }
    status = dtx_check_holders(plan->target, rule, t->dst_name, tiling,
                               &presence, b->list, err);
    if (status != DTX_OK) {
        return status;
    }
    place_partials(rule, &presence);
    *side_out = dtx_intern_side(intern, plan->target, tiling, &presence,
                                plan->dst_process);
    return *side_out != NULL ? DTX_OK : dtx_error_memory(err);
}

static enum dtx_status
add_tensor(struct binder *b, const struct dtx_bound *bound, const char *name,
           struct dtx_error *err)
{
    struct dtx_plan *plan = b->plan;
    struct dtx_tensor *t = &plan->tensors[plan->tensor_count];
    const struct dtx_side *src, *dst;
    struct dtx_class *c;
    enum dtx_status status;

    *t = (struct dtx_tensor){.src_name = bound->name,
                             .dst_name = name,
                             .src_type = bound->type,
                             .ndim = bound->ndim,
                             .shape = bound->shape,
                             .src_rule = bound->rule,
                             .first_dataset = bound->dataset};
    status = find_rule(b, name, &t->dst_rule, err);
    if (status == DTX_OK) {
        const struct dtx_rule *rule = &plan->target->rules[t->dst_rule];

        status = check_target_shape(b, rule, t, err);
        status = status != DTX_OK ? status : set_type(b, rule, t, err);
        status = status != DTX_OK ? status : check_both_reductions(b, t, err);
    }
    status = status != DTX_OK ? status : make_side(b, t, &dst, err);
    if (status != DTX_OK) {
        return status;
    }
    src = dtx_intern_side(b->source->intern, plan->source, bound->tiling,
                          &bound->presence, plan->src_process);
    c = src == NULL ? NULL
                    : dtx_intern_class(b->source->intern, src, dst, t->src_type,
                                       t->dst_type);
    if (c == NULL || dtx_is_unwanted(&plan->options)) {
        return dtx_error_memory(err);
    }
    t->class_index = c->index;
    if (c->instance_count == 0) {
        c->tensor = plan->tensor_count;
    }
    c->instance_count++;
    plan->tensor_count++;
    return DTX_OK;
}

/* ---------------------------------------------------------------- objects */

static enum dtx_status
refuse_divided(struct binder *b, const struct dtx_layout *layout, int rule,
               const char *name, struct dtx_error *err)
{
    int i;

    for (i = 0; i < layout->rules[rule].placement_count; i++) {
        const struct dtx_placement *p = &layout->rules[rule].placements[i];

        if (p->kind != DTX_REPLICATE) {
            return dtx_refuse(layout, p->mark, "E212", b->list, err,
                              "'%s' is no tensor of fixed-size elements and "
                              "can only be replicated",
                              name);
        }
    }
    return DTX_OK;
}

static enum dtx_status
add_object(struct binder *b, const struct dtx_bound *bound, const char *name,
           struct dtx_error *err)
{
    struct dtx_plan *plan = b->plan;
    struct dtx_object *o = &plan->objects[plan->object_count];
    enum dtx_status status = find_rule(b, name, &o->dst_rule, err);

    o->dst_name = name;
    o->dataset = bound->dataset;
    if (status == DTX_OK) {
        status = refuse_divided(b, plan->source, bound->rule, bound->name, err);
    }
    if (status == DTX_OK) {
        status = refuse_divided(b, plan->target, o->dst_rule, name, err);
    }
    plan->object_count += status == DTX_OK;
    return status;
}

/* ---------------------------------------------------------------- binding */

static enum dtx_status
bind_one(struct binder *b, const struct dtx_bound *bound, struct dtx_error *err)
{
    struct dtx_plan *plan = b->plan;
    const char *name =
        dtx_layout_rename(plan->target, bound->name, &plan->arena);
    enum dtx_status status;

    if (name == NULL) {
        return dtx_error_memory(err);
    }
    if (!is_wanted(&plan->options, name)) {
        leave_out(b, name);
        return DTX_OK;
    }
    status = take_name(b, name, bound->name, err);
    if (status != DTX_OK) {
        return status;
    }
    return bound->is_object ? add_object(b, bound, name, err)
                            : add_tensor(b, bound, name, err);
}

static enum dtx_status
bind_all(struct binder *b, struct dtx_error *err)
{
    enum dtx_status status, first = DTX_OK;
    struct dtx_error other;
    size_t i;

    for (i = 0; i < b->source->bound_count; i++) {
        status =
            bind_one(b, &b->source->bound[i], first == DTX_OK ? err : &other);
        if (first == DTX_OK) {
            first = status;
        }
        if (status != DTX_OK && status != DTX_ERR_INVALID) {
            return first;
        }
    }
    return first;
}

/* A slip in a glob would write a checkpoint of nothing. */
static enum dtx_status
check_selection(const struct dtx_plan *plan, struct dtx_error *err)
{
    if (plan->totals.excluded_count == 0 ||
        plan->tensor_count + plan->object_count > 0) {
        return DTX_OK;
    }
    dtx_error_set(err, DTX_ERR_INVALID,
                  "what is included and excluded leaves none of %" PRId64
                  " tensors",
                  plan->totals.excluded_count);
    dtx_error_hint(err, "the globs are held against the target's names");
    return DTX_ERR_INVALID;
}

enum dtx_status
dtx_bind_target(struct dtx_plan *plan, const struct dtx_binding *source,
                struct dtx_diagnostics *list, struct dtx_error *err)
{
    struct binder b = {.plan = plan, .source = source, .list = list};
    size_t count = source->bound_count;
    enum dtx_status status;

    plan->tensors = dtx_arena_alloc(&plan->arena, count, sizeof *plan->tensors);
    plan->objects = dtx_arena_alloc(&plan->arena, count, sizeof *plan->objects);
    b.sources = dtx_alloc(count, sizeof *b.sources);
    b.rule_uses = dtx_alloc((size_t)plan->target->rule_count, sizeof(int));
    if (plan->tensors == NULL || plan->objects == NULL || b.sources == NULL ||
        b.rule_uses == NULL) {
        status = dtx_error_memory(err);
    } else {
        status = bind_all(&b, err);
    }
    if (status == DTX_OK) {
        status = check_selection(plan, err);
    }
    if (status == DTX_OK) {
        status = dtx_target_view_check(plan, list, err);
    }
    if (status == DTX_OK) {
        status = dtx_target_clash_check(plan, &b.names, list, err);
    }
    if (status == DTX_OK) {
        dtx_warn_idle_rules(plan->target, b.rule_uses, &b.names, list);
    }
    if (status == DTX_OK && plan->totals.excluded_count == 0) {
        dtx_warn_idle_numbers(plan->target, &b.names, list);
    }
    dtx_names_finish(&b.names);
    dtx_free(b.sources);
    dtx_free(b.rule_uses);
    return status;
}
