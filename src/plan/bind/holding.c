#include "plan/bind/holding.h"

#include <stdlib.h>
#include <string.h>

#include "plan/bind/bind.h"
#include "util/alloc.h"
#include "util/error.h"

static int
compare_tensors(const void *left, const void *right)
{
    const struct dtx_held *a = left;
    const struct dtx_held *b = right;

    return strcmp(a->name, b->name);
}

static int
compare_objects(const void *left, const void *right)
{
    const struct dtx_held_object *a = left;
    const struct dtx_held_object *b = right;

    return strcmp(a->name, b->name);
}

/* Adds one bound tensor or object. -1 when out of memory. */
static int
add_bound(struct dtx_holding *h, struct dtx_intern *intern,
          const struct dtx_bound *bound, const int *processes)
{
    const char *name = dtx_arena_string(&h->arena, bound->name);
    struct dtx_held *held = &h->tensors[h->tensor_count];

    if (bound->is_object) {
        h->objects[h->object_count++] =
            (struct dtx_held_object){name, bound->dataset, bound->presence};
        return name == NULL ? -1 : 0;
    }
    *held = (struct dtx_held){.name = name,
                              .type = bound->type,
                              .ndim = bound->ndim,
                              .shape = bound->shape,
                              .rule = &h->layout->rules[bound->rule],
                              .dataset = bound->dataset};
    held->side = dtx_intern_side(intern, h->layout, bound->tiling,
                                 &bound->presence, processes);
    h->tensor_count++;
    return name == NULL || held->side == NULL ? -1 : 0;
}

static enum dtx_status
fill(struct dtx_holding *h, const struct dtx_binding *binding,
     struct dtx_error *err)
{
    size_t positions = (size_t)h->layout->mesh.position_count;
    size_t count = binding->bound_count, i;
    int *processes = dtx_arena_alloc(&h->arena, positions, sizeof *processes);
    int failed;

    h->tensors = dtx_arena_alloc(&h->arena, count, sizeof *h->tensors);
    h->objects = dtx_arena_alloc(&h->arena, count, sizeof *h->objects);
    failed = processes == NULL || h->tensors == NULL || h->objects == NULL;
    for (i = 0; i < count && !failed; i++) {
        failed = add_bound(h, binding->intern, &binding->bound[i], processes);
    }
    if (failed) {
        return dtx_error_memory(err);
    }
    if (h->tensor_count > 1) {
        qsort(h->tensors, (size_t)h->tensor_count, sizeof *h->tensors,
              compare_tensors);
    }
    if (h->object_count > 1) {
        qsort(h->objects, (size_t)h->object_count, sizeof *h->objects,
              compare_objects);
    }
    return dtx_holding_add_groups(h) == 0 ? DTX_OK : dtx_error_memory(err);
}

enum dtx_status
dtx_holding_create(const struct dtx_layout *layout,
                   const struct dtx_catalog *catalog,
                   struct dtx_diagnostics *list,
                   struct dtx_holding **holding_out, struct dtx_error *err)
{
    struct dtx_holding *h = dtx_alloc(1, sizeof *h);
    struct dtx_intern intern = {0};
    struct dtx_binding binding = {
        .layout = layout, .catalog = catalog, .list = list};
    enum dtx_status status;

    if (h == NULL) {
        return dtx_error_memory(err);
    }
    h->layout = layout;
    h->catalog = catalog;
    intern.arena = binding.arena = &h->arena;
    binding.intern = &intern;
    status = dtx_bind_source(&binding, err);
    if (status == DTX_OK) {
        status = fill(h, &binding, err);
    }
    dtx_binding_finish(&binding);
    dtx_intern_finish(&intern);
    if (status != DTX_OK) {
        dtx_holding_destroy(h);
        return status;
    }
    *holding_out = h;
    return DTX_OK;
}

enum dtx_status
dtx_holding_of_target(const struct dtx_plan *plan,
                      const struct dtx_catalog *catalog,
                      struct dtx_holding **holding_out, struct dtx_error *err)
{
    struct dtx_holding *h = dtx_alloc(1, sizeof *h);
    int i;

    if (h != NULL) {
        h->tensors = dtx_arena_alloc(&h->arena, (size_t)plan->tensor_count,
                                     sizeof *h->tensors);
    }
    if (h == NULL || h->tensors == NULL) {
        dtx_holding_destroy(h);
        return dtx_error_memory(err);
    }
    h->layout = plan->target;
    h->catalog = catalog;
    h->tensor_count = plan->tensor_count;
    for (i = 0; i < plan->tensor_count; i++) {
        const struct dtx_tensor *t = &plan->tensors[i];

        h->tensors[i] =
            (struct dtx_held){.name = t->dst_name,
                              .type = t->dst_type,
                              .ndim = t->ndim,
                              .shape = t->shape,
                              .rule = &plan->target->rules[t->dst_rule],
                              .side = plan->classes[t->class_index]->final,
                              .dataset = -1};
    }
    *holding_out = h;
    return DTX_OK;
}

void
dtx_holding_destroy(struct dtx_holding *holding)
{
    if (holding != NULL) {
        dtx_arena_finish(&holding->arena);
        dtx_free(holding);
    }
}
