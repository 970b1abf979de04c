#include "plan/plan.h"
#include "plan/weigh/carriage.h"

#include <stdlib.h>
#include <string.h>

#include "plan/bind/bind_target.h"
#include "plan/bind/order.h"
#include "plan/class/describe.h"
#include "plan/map/map_choose.h"
#include "plan/weigh/reach.h"
#include "plan/weigh/weigh.h"
#include "util/alloc.h"
#include "util/error.h"

/* Bytes per second of what takes no time. */
static const double free_rate = 1e18;

/* True where some dim is stored longer than it is. */
static bool
is_padded(const struct dtx_tiling *tiling)
{
    int dim;

    for (dim = 0; dim < tiling->ndim; dim++) {
        if (tiling->dims[dim].stored > tiling->dims[dim].logical) {
            return true;
        }
    }
    return false;
}

static void
count_tensors(struct dtx_plan *plan)
{
    int i;

    plan->totals.tensor_count = plan->tensor_count;
    plan->totals.object_count = plan->object_count;
    for (i = 0; i < plan->tensor_count; i++) {
        const struct dtx_tensor *t = &plan->tensors[i];
        const struct dtx_class *c = plan->classes[t->class_index];

        plan->totals.logical += (uint64_t)c->elements * c->src_bytes;
        plan->totals.converted_count +=
            !dtx_type_equal(t->src_type, t->dst_type);
        plan->totals.renamed_count += strcmp(t->src_name, t->dst_name) != 0;
        plan->totals.padded_count += is_padded(c->final->tiling);
        plan->totals.trimmed_count += is_padded(c->src->tiling);
        plan->totals.reduced_count += c->src->term_count > 1;
    }
}

/* ---------------------------------------------------------------- changes */

static int
compare_changes(const void *left, const void *right)
{
    const struct dtx_plan_change *a = left;
    const struct dtx_plan_change *b = right;
    int order;

    if (a->logical != b->logical) {
        return a->logical > b->logical ? -1 : 1;
    }
    order = strcmp(a->from, b->from);
    return order != 0 ? order : strcmp(a->to, b->to);
}

static struct dtx_plan_change *
find_change(struct dtx_plan *plan, const char *from, const char *to)
{
    int i;

    for (i = 0; i < plan->change_count; i++) {
        if (strcmp(plan->changes[i].from, from) == 0 &&
            strcmp(plan->changes[i].to, to) == 0) {
            return &plan->changes[i];
        }
    }
    plan->changes[plan->change_count] =
        (struct dtx_plan_change){.from = from, .to = to};
    return &plan->changes[plan->change_count++];
}

/* Words for a rule, in the plan's arena; equal ones are the same string. */
static const char *
describe(struct dtx_plan *plan, const struct dtx_layout *layout, int rule,
         int ndim, struct dtx_names *words, const char ***strings)
{
    int before = words->count;
    const char *text =
        dtx_describe_placements(layout, &layout->rules[rule], ndim, words);
    int number = text == NULL ? -1 : dtx_names_find(words, text);
    size_t capacity = (size_t)before;

    if (number < 0) {
        return NULL;
    }
    if (number == before) {
        if (dtx_grow(strings, (size_t)before, &capacity, sizeof **strings) !=
            0) {
            return NULL;
        }
        (*strings)[number] = dtx_arena_string(&plan->arena, text);
    }
    return (*strings)[number];
}

/* True where two tensors' placements have the same words. */
static bool
are_alike(const struct dtx_tensor *a, const struct dtx_tensor *b)
{
    return a->src_rule == b->src_rule && a->dst_rule == b->dst_rule &&
           a->ndim == b->ndim;
}

/* Sets every tensor's words for its placements. */
static int
set_words(struct dtx_plan *plan)
{
    struct dtx_names words = {0};
    const char **strings = NULL;
    int i, failed = 0;

    for (i = 0; i < plan->tensor_count && !failed; i++) {
        struct dtx_tensor *t = &plan->tensors[i];

        if (i > 0 && are_alike(t, t - 1)) {
            t->from = t[-1].from;
            t->to = t[-1].to;
            continue;
        }
        t->from = describe(plan, plan->source, t->src_rule, t->ndim, &words,
                           &strings);
        t->to = describe(plan, plan->target, t->dst_rule, t->ndim, &words,
                         &strings);
        failed = t->from == NULL || t->to == NULL;
    }
    dtx_names_finish(&words);
    dtx_free(strings);
    return failed ? -1 : 0;
}

/* Adds the tensors of one class to the change that they make. */
static void
add_change(struct dtx_plan *plan, const struct dtx_class *c,
           const struct dtx_tensor *t)
{
    struct dtx_plan_change *change = find_change(plan, t->from, t->to);
    uint64_t count = (uint64_t)c->instance_count;

    change->tensor_count += c->instance_count;
    change->logical += (uint64_t)c->elements * count * c->src_bytes;
    change->moved += c->moved;
    change->kept += c->kept;
}

static int
set_changes(struct dtx_plan *plan)
{
    bool *seen = dtx_alloc((size_t)plan->class_count, sizeof *seen);
    int i, failed = seen == NULL;

    plan->changes = dtx_arena_alloc(&plan->arena, (size_t)plan->class_count,
                                    sizeof *plan->changes);
    failed |= plan->changes == NULL;
    for (i = 0; i < plan->tensor_count && !failed; i++) {
        const struct dtx_tensor *t = &plan->tensors[i];

        if (!seen[t->class_index]) {
            seen[t->class_index] = true;
            add_change(plan, plan->classes[t->class_index], t);
        }
    }
    if (!failed && plan->change_count > 1) {
        qsort(plan->changes, (size_t)plan->change_count, sizeof *plan->changes,
              compare_changes);
    }
    dtx_free(seen);
    return failed ? -1 : 0;
}

/* ---------------------------------------------------------------- making */

/* Where each process reads what it writes, those that write must read. */
static enum dtx_status
check_direct(const struct dtx_plan *plan, struct dtx_error *err)
{
    if (plan->options.strategy == DTX_STRATEGY_DIRECT && plan->is_memory) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "under 'direct' each process reads what it "
                             "writes, but these tensors are in the memory of "
                             "others");
    }
    if (plan->options.strategy == DTX_STRATEGY_DIRECT &&
        !dtx_procs_cover(&plan->src_procs, &plan->dst_procs)) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "under 'direct' each process reads what it "
                             "writes, but some may only write");
    }
    return DTX_OK;
}

/* Sets one side's map: the one that is given, or by the processes that may
 * host it. */
static enum dtx_status
set_map(struct dtx_plan *plan, bool is_source, struct dtx_error *err)
{
    const struct dtx_mesh *mesh =
        is_source ? &plan->source->mesh : &plan->target->mesh;
    struct dtx_procs *procs = is_source ? &plan->src_procs : &plan->dst_procs;
    const int **given =
        is_source ? &plan->options.src_map : &plan->options.dst_map;
    size_t count = (size_t)mesh->position_count;
    struct dtx_plan_options as_procs = plan->options;
    int *map = dtx_arena_alloc(&plan->arena, count, sizeof *map);
    enum dtx_status status;

    if (map == NULL) {
        return dtx_error_memory(err);
    }
    if (*given != NULL) {
        as_procs.src_procs = as_procs.dst_procs = *given;
        as_procs.src_proc_count = as_procs.dst_proc_count =
            mesh->position_count;
    }
    status = dtx_procs_set(procs, &plan->arena, &as_procs, mesh->position_count,
                           is_source, err);
    if (status == DTX_OK && *given != NULL) {
        memcpy(map, *given, count * sizeof *map);
        *given = map;
    } else if (status == DTX_OK) {
        dtx_map_fill(plan->options.map, procs, mesh->position_count, map);
    }
    *(is_source ? &plan->src_process : &plan->dst_process) = map;
    return status;
}

static enum dtx_status
set_maps(struct dtx_plan *plan, struct dtx_error *err)
{
    enum dtx_status status = set_map(plan, true, err);

    if (status == DTX_OK) {
        status = set_map(plan, false, err);
    }
    return status == DTX_OK ? check_direct(plan, err) : status;
}

/* All that the source holds is moved, carried whole or left out by name. What
 * nothing accounts for would be lost without a word. */
static enum dtx_status
check_accounts(const struct dtx_plan *plan, const struct dtx_binding *source,
               struct dtx_error *err)
{
    int64_t accounted =
        plan->tensor_count + plan->object_count + plan->totals.excluded_count;

    if (accounted == (int64_t)source->bound_count) {
        return DTX_OK;
    }
    return dtx_error_set(err, DTX_ERR_INTERNAL,
                         "the plan accounts for %lld of the %lld tensors and "
                         "objects of the source; this is a bug in dtx",
                         (long long)accounted, (long long)source->bound_count);
}

static enum dtx_status
bind(struct dtx_plan *plan, struct dtx_diagnostics *list, struct dtx_error *err)
{
    struct dtx_intern intern = {.arena = &plan->arena,
                                .target = plan->target,
                                .options = &plan->options};
    struct dtx_binding source = {.arena = &plan->arena,
                                 .layout = plan->source,
                                 .catalog = plan->catalog,
                                 .list = list,
                                 .intern = &intern};
    enum dtx_status status = dtx_bind_source(&source, err);
    size_t i;

    if (status == DTX_OK) {
        status = dtx_bind_target(plan, &source, list, err);
    }
    if (status == DTX_OK) {
        status = check_accounts(plan, &source, err);
    }
    if (status == DTX_OK) {
        plan->class_count = (int)intern.class_count;
        plan->classes =
            dtx_arena_copy(&plan->arena, intern.classes, intern.class_count,
                           sizeof(struct dtx_class *));
        plan->side_count = (int)intern.side_count;
        plan->sides = dtx_arena_copy(&plan->arena, intern.sides,
                                     intern.side_count, sizeof *plan->sides);
        status = plan->classes != NULL && plan->sides != NULL &&
                         dtx_order_tensors(plan) == 0
                     ? DTX_OK
                     : dtx_error_memory(err);
    }
    /* Source names are interned in the binding: keep copies. */
    for (i = 0; status == DTX_OK && i < (size_t)plan->tensor_count; i++) {
        struct dtx_tensor *t = &plan->tensors[i];
        bool same = t->dst_name == t->src_name;

        t->src_name = dtx_arena_string(&plan->arena, t->src_name);
        t->dst_name = same ? t->src_name : t->dst_name;
        status = t->src_name != NULL ? DTX_OK : dtx_error_memory(err);
    }
    for (i = 0; status == DTX_OK && i < (size_t)plan->object_count; i++) {
        struct dtx_object *o = &plan->objects[i];

        o->dst_name = dtx_arena_string(&plan->arena, o->dst_name);
        status = o->dst_name != NULL ? DTX_OK : dtx_error_memory(err);
    }
    dtx_binding_finish(&source);
    dtx_intern_finish(&intern);
    return status;
}

/* Sets the processes' nodes: as told, or as many on each as the machine says.
 */
static int
set_nodes(struct dtx_plan *plan)
{
    const struct dtx_machine *machine = plan->options.machine;
    int near = machine != NULL ? machine->processes_per_node : 0;
    int count = plan->options.process_count, i;
    bool differ = false;
    int *nodes;

    if (plan->options.nodes == NULL && near == 0) {
        return 0;
    }
    nodes = dtx_arena_alloc(&plan->arena, (size_t)count, sizeof *nodes);
    for (i = 0; i < count && nodes != NULL; i++) {
        nodes[i] =
            plan->options.nodes != NULL ? plan->options.nodes[i] : i / near;
        differ |= nodes[i] != nodes[0];
    }
    plan->nodes = plan->options.nodes = differ ? nodes : NULL;
    return nodes != NULL ? 0 : -1;
}

/* Tensors in memory cost nothing to read and to write, beside the copies. */
static int
forget_storage(struct dtx_plan *plan)
{
    const struct dtx_machine *given = plan->options.machine;
    struct dtx_machine *machine = dtx_arena_copy(
        &plan->arena, given != NULL ? given : dtx_machine_default(), 1,
        sizeof *machine);

    if (machine == NULL) {
        return -1;
    }
    machine->read_rate = machine->write_rate = free_rate;
    machine->read_rate_node = machine->write_rate_node = free_rate;
    machine->read_rate_total = machine->write_rate_total = free_rate;
    machine->read_request_seconds = machine->write_request_seconds = 0;
    machine->file_seconds = 0;
    plan->options.machine = machine;
    return 0;
}

static enum dtx_status
check_ends(struct dtx_plan *plan, struct dtx_error *err)
{
    plan->is_memory = plan->source->is_memory && plan->target->is_memory;
    if (plan->source->is_memory != plan->target->is_memory) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "one layout is of files and the other of memory");
    }
    if (plan->is_memory && forget_storage(plan) != 0) {
        return dtx_error_memory(err);
    }
    return DTX_OK;
}

static enum dtx_status
make(struct dtx_plan *plan, struct dtx_diagnostics *list, struct dtx_error *err)
{
    enum dtx_status status = check_ends(plan, err);

    if (status == DTX_OK && !plan->is_memory) {
        status = dtx_carriage_settle(&plan->options, err);
    }
    if (status == DTX_OK) {
        status = set_maps(plan, err);
    }
    if (status == DTX_OK && set_nodes(plan) != 0) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK) {
        status = bind(plan, list, err);
    }
    if (status == DTX_OK) {
        status = dtx_reach_check(plan, err);
    }
    if (status == DTX_OK && plan->options.map == DTX_MAP_AUTO &&
        plan->options.src_map == NULL && plan->options.dst_map == NULL &&
        dtx_map_choose(plan) != 0) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK) {
        status = dtx_plan_weigh(plan, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    count_tensors(plan);
    if (set_words(plan) != 0 || set_changes(plan) != 0) {
        return dtx_error_memory(err);
    }
    return DTX_OK;
}

enum dtx_status
dtx_plan_create(const struct dtx_layout *source,
                const struct dtx_layout *target,
                const struct dtx_catalog *catalog,
                const struct dtx_plan_options *options,
                struct dtx_diagnostics *list, struct dtx_plan **plan_out,
                struct dtx_error *err)
{
    struct dtx_plan *plan = dtx_alloc(1, sizeof *plan);
    enum dtx_status status;

    if (plan == NULL) {
        return dtx_error_memory(err);
    }
    plan->source = source;
    plan->target = target;
    plan->catalog = catalog;
    plan->options = *options;
    status = make(plan, list, err);
    if (dtx_is_unwanted(&plan->options)) {
        status = dtx_error_set(err, DTX_ERR_INTERRUPTED,
                               "the plan isn't wanted any more");
    }
    plan->options.must_stop = NULL;
    if (status != DTX_OK) {
        dtx_plan_destroy(plan);
        return status;
    }
    *plan_out = plan;
    return DTX_OK;
}

void
dtx_plan_destroy(struct dtx_plan *plan)
{
    if (plan != NULL) {
        dtx_arena_finish(&plan->arena);
        dtx_free(plan);
    }
}
