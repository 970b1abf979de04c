/*
 * A layout with the tensors of its own catalog.
 */
#include <stdio.h>
#include <stdlib.h>

#include "layout/shape.h"
#include "plan/bind/bind.h"
#include "plan/class/describe.h"
#include "plan/class/shards.h"
#include "plan/weigh/reach.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"

enum { PLACE_BYTES = 256 };

struct dtx_inspection {
    struct dtx_arena arena;
    const struct dtx_layout *layout;
    const struct dtx_catalog *catalog;
    int *processes; /* [positions] all the same: nothing is hosted */
    int tensor_count;
    struct dtx_plan_tensor *tensors;
    const struct dtx_side **sides; /* [tensor_count] */
    int rank_count;
    struct dtx_rank_share *ranks;
};

static int
add_tensor(struct dtx_inspection *in, const struct dtx_bound *bound,
           struct dtx_intern *intern, struct dtx_names *words)
{
    const struct dtx_rule *rule = &in->layout->rules[bound->rule];
    struct dtx_plan_tensor *t = &in->tensors[in->tensor_count];
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
    in->sides[in->tensor_count] = dtx_intern_side(
        intern, in->layout, bound->tiling, &bound->presence, in->processes);
    return name == NULL || from == NULL || in->sides[in->tensor_count++] == NULL
               ? -1
               : 0;
}

/* Tensors that the same ranks hold in the same way. */
struct alike {
    const struct dtx_side *side;
    int64_t tensor_count;
    uint64_t element_bytes; /* of one element of each */
};

static int
compare_alike(const void *left, const void *right)
{
    const struct alike *a = left;
    const struct alike *b = right;

    return a->side->number < b->side->number
               ? -1
               : a->side->number > b->side->number;
}

/* Lists the sides of all tensors, each once, with what goes by them. Returns
 * how many. */
static int
list_alike(const struct dtx_inspection *in, struct alike *alike)
{
    int i, count = 0;

    for (i = 0; i < in->tensor_count; i++) {
        alike[i] =
            (struct alike){in->sides[i], 1, in->tensors[i].type.size_bytes};
    }
    if (in->tensor_count > 1) {
        qsort(alike, (size_t)in->tensor_count, sizeof *alike, compare_alike);
    }
    for (i = 0; i < in->tensor_count; i++) {
        if (count > 0 && alike[count - 1].side == alike[i].side) {
            alike[count - 1].tensor_count++;
            alike[count - 1].element_bytes += alike[i].element_bytes;
        } else {
            alike[count++] = alike[i];
        }
    }
    return count;
}

/* Adds to each rank its shards of tensors that are alike, and their bytes to
 * the sum of all. True on overflow. */
static bool
add_alike(struct dtx_inspection *in, const struct alike *alike, int64_t *sum)
{
    const struct dtx_side *side = alike->side;
    int64_t local[DTX_NDIM_MAX], bytes;
    int i;

    for (i = 0; i < side->position_count; i++) {
        struct dtx_rank_share *rank = &in->ranks[side->positions[i]];

        dtx_tiling_local_shape(side->tiling, side->mesh, side->positions[i],
                               local);
        if (dtx_mul_overflows(dtx_shape_count(side->tiling->ndim, local),
                              alike->element_bytes, &bytes) ||
            dtx_add_overflows(*sum, bytes, sum)) {
            return true;
        }
        rank->tensor_count += alike->tensor_count;
        rank->bytes += (uint64_t)bytes;
    }
    return false;
}

/* Adds to each rank the shards that it holds: side by side, so that a model of
 * equal layers is counted in the time of one. */
static enum dtx_status
add_shares(struct dtx_inspection *in, struct dtx_error *err)
{
    struct alike *alike =
        dtx_alloc((size_t)in->tensor_count + 1, sizeof *alike);
    enum dtx_status status = DTX_OK;
    int64_t sum = 0;
    int i, count;

    if (alike == NULL) {
        return dtx_error_memory(err);
    }
    count = list_alike(in, alike);
    for (i = 0; i < count && status == DTX_OK; i++) {
        if (add_alike(in, &alike[i], &sum)) {
            status = dtx_reach_refuse("all ranks together hold", err);
        }
    }
    dtx_free(alike);
    return status;
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
    in->sides = dtx_arena_alloc(&in->arena, b->bound_count, sizeof *in->sides);
    in->processes = dtx_arena_alloc(&in->arena, (size_t)in->rank_count,
                                    sizeof *in->processes);
    failed |= in->tensors == NULL || in->sides == NULL || in->processes == NULL;
    for (i = 0; i < b->bound_count && !failed; i++) {
        if (!b->bound[i].is_object) {
            failed = add_tensor(in, &b->bound[i], b->intern, &words);
        }
    }
    dtx_names_finish(&words);
    return failed ? dtx_error_memory(err) : add_shares(in, err);
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
    in->catalog = catalog;
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

enum dtx_status
dtx_inspection_each_shard(const struct dtx_inspection *i, int tensor,
                          dtx_shard_visit *visit, void *context,
                          struct dtx_error *err)
{
    const struct dtx_plan_tensor *t = &i->tensors[tensor];

    return dtx_each_shard(&(struct dtx_shards){.layout = i->layout,
                                               .catalog = i->catalog,
                                               .side = i->sides[tensor],
                                               .name = t->name,
                                               .type = t->type,
                                               .shape = t->shape},
                          visit, context, err);
}
