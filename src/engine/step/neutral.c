#include "engine/step/neutral.h"

#include "engine/step/chunk.h"
#include "engine/step/positions.h"
#include "engine/step/regions.h"
#include "layout/reduce.h"
#include "layout/shape.h"
#include "storage/stop.h"
#include "util/error.h"

int64_t
engine_fill_ones(struct engine *e, enum dtx_dtype dtype)
{
    size_t size = dtx_dtype_size(dtype);
    int64_t count = (int64_t)((size_t)e->plan->schedule->stage_bytes / size);
    int64_t i;

    for (i = 0; i < count; i++) {
        dtx_reduce_neutral(DTX_PRODUCT, dtype,
                           e->write_stage + (size_t)i * size);
    }
    return count;
}

static enum dtx_status
write_ones(struct engine *e, int tensor, int position, struct dtx_error *err)
{
    const struct dtx_tensor *t = &e->plan->tensors[tensor];
    int64_t limit = engine_fill_ones(e, t->dst_type.dtype);
    const struct dtx_side *dst = e->plan->classes[t->class_index]->final;
    int64_t shape[DTX_NDIM_MAX];
    enum dtx_status status = DTX_OK;
    struct dtx_chunks chunk;

    dtx_side_logical_shape(dst, dtx_side_shard(dst, position), shape);
    if (dtx_shape_count(t->ndim, shape) == 0) {
        return DTX_OK;
    }
    dtx_chunks_begin(&chunk, t->ndim, shape, limit);
    while (status == DTX_OK && dtx_chunks_next(&chunk)) {
        status = engine_write_position(e, tensor, position, chunk.lo, chunk.len,
                                       e->write_stage, &e->write_scratch, err);
        status = status == DTX_OK ? dtx_stop_heard(err) : status;
    }
    return status;
}

static bool
has_product(const struct dtx_rule *rule)
{
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].kind == DTX_PARTIAL &&
            rule->placements[i].op == DTX_PRODUCT) {
            return true;
        }
    }
    return false;
}

/* All ones of one tensor on this process. */
static enum dtx_status
write_tensor(struct engine *e, int tensor, struct dtx_error *err)
{
    const struct dtx_layout *target = e->plan->target;
    const struct dtx_tensor *t = &e->plan->tensors[tensor];
    const struct dtx_rule *rule = &target->rules[t->dst_rule];
    const struct dtx_side *dst = e->plan->classes[t->class_index]->final;
    struct dtx_presence presence;
    enum dtx_status status;
    int position;

    dtx_arena_reset(&e->read_scratch);
    status = dtx_layout_presence(target, rule, t->dst_name, &e->read_scratch,
                                 &presence, err);
    for (position = 0;
         position < target->mesh.position_count && status == DTX_OK;
         position++) {
        if (e->plan->dst_process[position] == e->transport->process &&
            dtx_presence_holds(&presence, &target->mesh, position) &&
            dtx_rule_term(rule, &target->mesh, position) == DTX_TERM_ONES &&
            dtx_plan_writes(e->plan, dst, position)) {
            status = write_ones(e, tensor, position, err);
            if (status != DTX_OK && status != DTX_ERR_INTERRUPTED) {
                dtx_error_tensor(err, "'%s'", t->dst_name);
                engine_say_where(e->transport, e->plan, DTX_TARGET, position,
                                 err);
            }
        }
    }
    return status;
}

enum dtx_status
engine_write_neutral(struct engine *e, struct dtx_error *err)
{
    const struct dtx_plan *plan = e->plan;
    enum dtx_status status = DTX_OK;
    int i;

    for (i = e->safety.tensors; i < plan->tensor_count && status == DTX_OK;
         i++) {
        if (has_product(&plan->target->rules[plan->tensors[i].dst_rule])) {
            status = write_tensor(e, i, err);
        }
    }
    return status;
}
