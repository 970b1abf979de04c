/*
 * A layout with the tensors of its own catalog.
 */
#include <stdio.h>

#include "layout/box.h"
#include "plan/bind.h"
#include "plan/describe.h"
#include "util/alloc.h"
#include "util/error.h"

enum { PLACE_BYTES = 256 };

struct dtx_inspection {
    struct dtx_arena arena;
    const struct dtx_layout *layout;
    int tensor_count;
    struct dtx_plan_tensor *tensors;
    int rank_count;
    struct dtx_rank_share *ranks;
};

static int
add_tensor(struct dtx_inspection *in, const struct dtx_bound *bound,
           struct dtx_names *words)
{
    const struct dtx_rule *rule = &in->layout->rules[bound->rule];
    struct dtx_plan_tensor *t = &in->tensors[in->tensor_count++];
    const char *name = dtx_arena_string(&in->arena, bound->name);
    const char *from =
        dtx_describe_placements(in->layout, rule, bound->ndim, words);

    from = from == NULL ? NULL : dtx_arena_string(&in->arena, from);
    *t = (struct dtx_plan_tensor){.name = name,
                                  .source_name = name,
                                  .source_type = bound->type,
                                  .type = bound->type,
                                  .ndim = bound->ndim,
                                  .shape = bound->shape,
                                  .from = from,
                                  .to = from};
    return name == NULL || from == NULL ? -1 : 0;
}

/* Adds a tensor's shards to the ranks that hold them. */
static void
add_shares(struct dtx_inspection *in, const struct dtx_bound *bound)
{
    const struct dtx_mesh *mesh = &in->layout->mesh;
    int64_t local[DTX_NDIM_MAX];
    int position;

    for (position = 0; position < mesh->position_count; position++) {
        if (!dtx_presence_holds(&bound->presence, mesh, position)) {
            continue;
        }
        dtx_tiling_local_shape(bound->tiling, mesh, position, local);
        in->ranks[position].tensor_count++;
        in->ranks[position].bytes +=
            (uint64_t)dtx_shape_count(bound->ndim, local) *
            bound->type.size_bytes;
    }
}

static int
set_ranks(struct dtx_inspection *in)
{
    const struct dtx_mesh *mesh = &in->layout->mesh;
    char place[PLACE_BYTES];
    int position, axis;

    in->rank_count = mesh->position_count;
    in->ranks =
        dtx_arena_alloc(&in->arena, (size_t)in->rank_count, sizeof *in->ranks);
    for (position = 0; position < in->rank_count && in->ranks != NULL;
         position++) {
        size_t used = 0;

        place[0] = '\0';
        for (axis = 0; axis < mesh->axis_count && used < PLACE_BYTES; axis++) {
            used +=
                (size_t)snprintf(place + used, PLACE_BYTES - used, "%s%s=%d",
                                 axis > 0 ? " " : "", mesh->names[axis],
                                 dtx_mesh_coordinate(mesh, position, axis));
        }
        in->ranks[position].rank = dtx_mesh_rank(mesh, position);
        in->ranks[position].place = dtx_arena_string(&in->arena, place);
        if (in->ranks[position].place == NULL) {
            return -1;
        }
    }
    return in->ranks != NULL ? 0 : -1;
}

static enum dtx_status
fill(struct dtx_inspection *in, const struct dtx_binding *b,
     struct dtx_error *err)
{
    struct dtx_names words = {0};
    int failed = set_ranks(in);
    size_t i;

    in->tensors =
        dtx_arena_alloc(&in->arena, b->bound_count, sizeof *in->tensors);
    failed |= in->tensors == NULL;
    for (i = 0; i < b->bound_count && !failed; i++) {
        if (!b->bound[i].is_object) {
            failed = add_tensor(in, &b->bound[i], &words);
            add_shares(in, &b->bound[i]);
        }
    }
    dtx_names_finish(&words);
    return failed ? dtx_error_memory(err) : DTX_OK;
}

enum dtx_status
dtx_inspect(const struct dtx_layout *layout, const struct dtx_catalog *catalog,
            struct dtx_diagnostics *list, struct dtx_inspection **out,
            struct dtx_error *err)
{
    struct dtx_inspection *in = dtx_alloc(1, sizeof *in);
    struct dtx_intern intern = {0};
    struct dtx_binding binding = {
        .layout = layout, .catalog = catalog, .list = list};
    enum dtx_status status;

    if (in == NULL) {
        return dtx_error_memory(err);
    }
    in->layout = layout;
    intern.arena = binding.arena = &in->arena;
    binding.intern = &intern;
    status = dtx_bind_source(&binding, err);
    if (status == DTX_OK) {
        status = fill(in, &binding, err);
    }
    dtx_binding_finish(&binding);
    dtx_intern_finish(&intern);
    if (status != DTX_OK) {
        dtx_inspection_destroy(in);
        return status;
    }
    *out = in;
    return DTX_OK;
}

void
dtx_inspection_destroy(struct dtx_inspection *inspection)
{
    if (inspection != NULL) {
        dtx_arena_finish(&inspection->arena);
        dtx_free(inspection);
    }
}

int
dtx_inspection_tensor_count(const struct dtx_inspection *i)
{
    return i->tensor_count;
}

void
dtx_inspection_tensor(const struct dtx_inspection *i, int index,
                      struct dtx_plan_tensor *out)
{
    *out = i->tensors[index];
}

int
dtx_inspection_rank_count(const struct dtx_inspection *i)
{
    return i->rank_count;
}

const struct dtx_rank_share *
dtx_inspection_rank(const struct dtx_inspection *i, int index)
{
    return &i->ranks[index];
}
