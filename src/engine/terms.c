#include "engine/terms.h"

#include "layout/reduce.h"
#include "util/error.h"

enum dtx_status
engine_reduce_terms(const struct dtx_side *side, struct dtx_type type,
                    struct dtx_arena *scratch, char *stage, int64_t count,
                    struct dtx_error *err)
{
    size_t term_bytes = (size_t)count * type.size_bytes;
    int sizes[DTX_AXIS_MAX];
    enum dtx_op ops[DTX_AXIS_MAX];
    struct dtx_reduction reduction = {type.dtype, side->tiling->partial_count,
                                      sizes, ops};
    const void **terms;
    int i;

    dtx_arena_reset(scratch);
    terms = dtx_arena_alloc(scratch, (size_t)side->term_count, sizeof *terms);
    if (terms == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < side->tiling->partial_count; i++) {
        sizes[i] = side->mesh->sizes[side->tiling->partials[i].axis];
        ops[i] = side->tiling->partials[i].op;
    }
    for (i = 0; i < side->term_count; i++) {
        terms[i] = stage + (size_t)i * term_bytes;
    }
    if (dtx_reduce_terms(&reduction, terms, (size_t)count, stage) >= 0) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "reducing the pending %s values overflows",
                             dtx_dtype_name(type.dtype));
    }
    return DTX_OK;
}

enum dtx_status
engine_reduce(struct engine *e, int tensor, char *stage, int64_t count,
              struct dtx_error *err)
{
    const struct dtx_tensor *t = &e->plan->tensors[tensor];

    return engine_reduce_terms(e->plan->classes[t->class_index]->src,
                               t->src_type, &e->write_scratch, stage, count,
                               err);
}
