#include "engine/step/shards.h"

#include <inttypes.h>
#include <string.h>

#include "engine/step/chunk.h"
#include "engine/step/neutral.h"
#include "engine/step/regions.h"
#include "layout/shape.h"
#include "util/error.h"

static const struct dtx_layout *
layout_of(const struct dtx_plan *plan, enum dtx_role role)
{
    return role == DTX_SOURCE ? plan->source : plan->target;
}

static const char *
name_of(const struct dtx_plan *plan, enum dtx_role role, int tensor)
{
    const struct dtx_tensor *t = &plan->tensors[tensor];

    return role == DTX_SOURCE ? t->src_name : t->dst_name;
}

/* ---------------------------------------------------------------- making */

static int
init_end(struct engine_shards *s, enum dtx_role role)
{
    const struct dtx_plan *plan = s->plan;
    const int *map = role == DTX_SOURCE ? plan->src_process : plan->dst_process;
    int count = layout_of(plan, role)->mesh.position_count, i;
    struct engine_end *end = &s->ends[role];
    size_t shards;

    end->locals = dtx_arena_alloc(&s->arena, (size_t)count, sizeof(int));
    end->positions = dtx_arena_alloc(&s->arena, (size_t)count, sizeof(int));
    if (end->locals == NULL || end->positions == NULL) {
        return -1;
    }
    for (i = 0; i < count; i++) {
        end->locals[i] = map[i] == s->process ? end->local_count : -1;
        if (map[i] == s->process) {
            end->positions[end->local_count++] = i;
        }
    }
    shards = (size_t)plan->tensor_count * (size_t)end->local_count;
    end->shards = dtx_arena_alloc(&s->arena, shards, sizeof *end->shards);
    end->strides = dtx_arena_alloc(&s->arena, shards * (size_t)s->most_dims,
                                   sizeof *end->strides);
    return end->shards == NULL || end->strides == NULL ? -1 : 0;
}

/* True where a shard of the target has anything that no transfer brings. */
static bool
needs_filling(const struct dtx_plan *plan, int tensor, int position,
              const int64_t *shape)
{
    const struct dtx_tensor *t = &plan->tensors[tensor];
    const struct dtx_side *side = plan->classes[t->class_index]->final;
    int64_t logical[DTX_NDIM_MAX];

    dtx_side_logical_shape(side, dtx_side_shard(side, position), logical);
    return !dtx_presence_holds(&side->presence, &plan->target->mesh,
                               position) ||
           memcmp(logical, shape, (size_t)t->ndim * sizeof *logical) != 0;
}

/* All shards of the target that aren't empty are written. */
static void
need_target(struct engine_shards *s)
{
    struct engine_end *end = &s->ends[DTX_TARGET];
    int64_t shape[DTX_NDIM_MAX];
    int tensor, i;

    for (tensor = 0; tensor < s->plan->tensor_count; tensor++) {
        for (i = 0; i < end->local_count; i++) {
            int position = end->positions[i];
            struct engine_shard *shard =
                engine_shard_of(s, DTX_TARGET, tensor, position);

            shard->is_needed =
                dtx_plan_shard_shape(s->plan, DTX_TARGET, tensor, position,
                                     shape) &&
                dtx_shape_count(s->plan->tensors[tensor].ndim, shape) > 0;
            shard->is_filled = shard->is_needed &&
                               needs_filling(s->plan, tensor, position, shape);
            s->fill_count += shard->is_filled;
        }
    }
}

enum dtx_status
engine_shards_init(struct engine_shards *shards, const struct dtx_plan *plan,
                   int process, struct dtx_error *err)
{
    int i;

    *shards = (struct engine_shards){.plan = plan, .process = process};
    for (i = 0; i < plan->tensor_count; i++) {
        if (plan->tensors[i].ndim > shards->most_dims) {
            shards->most_dims = plan->tensors[i].ndim;
        }
    }
    if (init_end(shards, DTX_SOURCE) != 0 ||
        init_end(shards, DTX_TARGET) != 0) {
        return dtx_error_memory(err);
    }
    need_target(shards);
    return DTX_OK;
}

void
engine_shards_finish(struct engine_shards *shards)
{
    dtx_arena_finish(&shards->arena);
}

int64_t *
engine_shard_strides(struct engine_shards *shards, enum dtx_role role,
                     int tensor, int position)
{
    struct engine_end *end = &shards->ends[role];
    size_t index = (size_t)tensor * (size_t)end->local_count +
                   (size_t)end->locals[position];

    return end->strides + index * (size_t)shards->most_dims;
}

/* ---------------------------------------------------------------- checking */

static enum dtx_status
check_end(const struct engine_shards *s, enum dtx_role role,
          const struct dtx_transport *transport, struct dtx_error *err)
{
    const struct engine_end *end = &s->ends[role];
    bool has_store =
        role == DTX_SOURCE ? end->store.read != NULL : end->store.write != NULL;
    size_t count = (size_t)s->plan->tensor_count * (size_t)end->local_count;
    size_t i;

    for (i = 0; i < count && !has_store; i++) {
        int tensor = (int)(i / (size_t)end->local_count);
        int position = end->positions[i % (size_t)end->local_count];

        if (!end->shards[i].is_needed || end->shards[i].data != NULL) {
            continue;
        }
        dtx_error_set(err, DTX_ERR_INVALID,
                      "no array was given for a shard of the %s",
                      role == DTX_SOURCE ? "source" : "target");
        dtx_error_tensor(err, "'%s'", name_of(s->plan, role, tensor));
        engine_say_where(transport, s->plan, role, position, err);
        return DTX_ERR_INVALID;
    }
    return DTX_OK;
}

enum dtx_status
engine_shards_check(const struct engine_shards *shards,
                    const struct dtx_transport *transport,
                    struct dtx_error *err)
{
    enum dtx_status status = check_end(shards, DTX_SOURCE, transport, err);

    return status == DTX_OK ? check_end(shards, DTX_TARGET, transport, err)
                            : status;
}

/* ---------------------------------------------------------------- boxes */

static struct dtx_store_box
store_box(const struct dtx_plan *plan, enum dtx_role role, int tensor,
          int position, const int64_t *lo, const int64_t *len)
{
    const struct dtx_tensor *t = &plan->tensors[tensor];
    bool is_source = role == DTX_SOURCE;

    return (struct dtx_store_box){
        .tensor = name_of(plan, role, tensor),
        .rank = dtx_layout_rank(layout_of(plan, role), position),
        .dtype = is_source ? t->src_type.dtype : t->dst_type.dtype,
        .ndim = t->ndim,
        .lo = lo,
        .len = len};
}

enum dtx_status
engine_shard_read(struct engine *e, int tensor, int position, const int64_t *lo,
                  const int64_t *len, void *buffer, struct dtx_error *err)
{
    static const int64_t origin[DTX_NDIM_MAX];
    const struct dtx_tensor *t = &e->plan->tensors[tensor];
    const struct engine_shard *shard =
        engine_shard_of(e->shards, DTX_SOURCE, tensor, position);
    const struct dtx_store *store = &e->shards->ends[DTX_SOURCE].store;
    struct dtx_box_copy copy = {.ndim = t->ndim,
                                .element_bytes = t->src_type.size_bytes,
                                .len = len,
                                .dst_shape = len,
                                .dst_lo = origin,
                                .src_lo = lo,
                                .src_strides = shard->strides};
    struct dtx_store_box box =
        store_box(e->plan, DTX_SOURCE, tensor, position, lo, len);

    if (shard->data == NULL) {
        return store->read(store->context, &box, buffer, err);
    }
    dtx_box_copy(&copy, buffer, shard->data);
    return DTX_OK;
}

enum dtx_status
engine_shard_write(struct engine *e, int tensor, int position,
                   const int64_t *lo, const int64_t *len, const void *buffer,
                   struct dtx_error *err)
{
    static const int64_t origin[DTX_NDIM_MAX];
    const struct dtx_tensor *t = &e->plan->tensors[tensor];
    const struct engine_shard *shard =
        engine_shard_of(e->shards, DTX_TARGET, tensor, position);
    const struct dtx_store *store = &e->shards->ends[DTX_TARGET].store;
    struct dtx_box_copy copy = {.ndim = t->ndim,
                                .element_bytes = t->dst_type.size_bytes,
                                .len = len,
                                .dst_lo = lo,
                                .dst_strides = shard->strides,
                                .src_shape = len,
                                .src_lo = origin};
    struct dtx_store_box box =
        store_box(e->plan, DTX_TARGET, tensor, position, lo, len);

    if (shard->data == NULL) {
        return store->write(store->context, &box, buffer, err);
    }
    if (shard->is_apart) {
        return engine_put_box(e, &copy, shard->data, buffer, err);
    }
    dtx_box_copy(&copy, shard->data, buffer);
    return DTX_OK;
}

/* ---------------------------------------------------------------- filling */

/* A shard of the target while what no transfer brings is put there. */
struct filling {
    struct engine *e;
    int tensor, position, ndim;
    size_t size;
    int64_t shape[DTX_NDIM_MAX];
};

/* Fills a box with what the stage holds, as many elements as it has room for
 * at a time. */
static enum dtx_status
fill_box(const struct filling *f, const int64_t *lo, const int64_t *len,
         struct dtx_error *err)
{
    size_t stage = (size_t)f->e->plan->schedule->stage_bytes;
    enum dtx_status status = DTX_OK;
    struct dtx_chunks chunk;
    int64_t at[DTX_NDIM_MAX];
    int dim;

    dtx_chunks_begin(&chunk, f->ndim, len, (int64_t)(stage / f->size));
    while (status == DTX_OK && dtx_chunks_next(&chunk)) {
        for (dim = 0; dim < f->ndim; dim++) {
            at[dim] = lo[dim] + chunk.lo[dim];
        }
        status = engine_shard_write(f->e, f->tensor, f->position, at, chunk.len,
                                    f->e->write_stage, err);
    }
    return status;
}

/* Fills what lies beyond `logical` in any dim, which is padding. */
static enum dtx_status
fill_padding(const struct filling *f, const int64_t *logical,
             struct dtx_error *err)
{
    int64_t lo[DTX_NDIM_MAX] = {0}, len[DTX_NDIM_MAX];
    enum dtx_status status = DTX_OK;
    int dim, d;

    memset(f->e->write_stage, 0, (size_t)f->e->plan->schedule->stage_bytes);
    for (dim = 0; dim < f->ndim && status == DTX_OK; dim++) {
        for (d = 0; d < f->ndim; d++) {
            len[d] = d < dim ? logical[d] : f->shape[d];
            lo[d] = 0;
        }
        lo[dim] = logical[dim];
        len[dim] = f->shape[dim] - logical[dim];
        if (dtx_shape_count(f->ndim, len) > 0) {
            status = fill_box(f, lo, len, err);
        }
    }
    return status;
}

/* What a position holds beside the values of transfers. */
static enum dtx_status
fill_shard(struct filling *f, struct dtx_error *err)
{
    const struct dtx_plan *plan = f->e->plan;
    const struct dtx_tensor *t = &plan->tensors[f->tensor];
    const struct dtx_side *side = plan->classes[t->class_index]->final;
    const struct dtx_rule *rule = &plan->target->rules[t->dst_rule];
    const struct dtx_mesh *mesh = &plan->target->mesh;
    int64_t logical[DTX_NDIM_MAX];
    int64_t nothing[DTX_NDIM_MAX] = {0};
    enum dtx_status status = DTX_OK;

    dtx_side_logical_shape(side, dtx_side_shard(side, f->position), logical);
    if (!dtx_presence_holds(&side->presence, mesh, f->position)) {
        if (dtx_rule_term(rule, mesh, f->position) == DTX_TERM_ONES) {
            engine_fill_ones(f->e, t->dst_type.dtype);
        } else {
            memset(f->e->write_stage, 0, (size_t)plan->schedule->stage_bytes);
        }
        status = fill_box(f, nothing, logical, err);
    }
    return status == DTX_OK ? fill_padding(f, logical, err) : status;
}

enum dtx_status
engine_shards_fill(struct engine *e, struct dtx_error *err)
{
    struct engine_end *end = &e->shards->ends[DTX_TARGET];
    size_t count = (size_t)e->plan->tensor_count * (size_t)end->local_count, i;
    enum dtx_status status = DTX_OK;

    for (i = 0; i < count && e->shards->fill_count > 0 && status == DTX_OK;
         i++) {
        const struct dtx_tensor *t =
            &e->plan->tensors[i / (size_t)end->local_count];
        const struct dtx_class *c = e->plan->classes[t->class_index];
        struct filling f = {.e = e,
                            .tensor = (int)(i / (size_t)end->local_count),
                            .position =
                                end->positions[i % (size_t)end->local_count],
                            .ndim = t->ndim,
                            .size = t->dst_type.size_bytes};

        if (end->shards[i].is_filled) {
            dtx_tiling_local_shape(c->final->tiling, &e->plan->target->mesh,
                                   f.position, f.shape);
            status = fill_shard(&f, err);
        }
    }
    return status;
}
