#include "engine/terms.h"

#include "layout/reduce.h"
#include "util/error.h"

enum dtx_status
engine_reduce(struct engine *e, int tensor, char *stage, int64_t count,
              struct dtx_error *err)
{
    const struct dtx_tensor *t = &e->plan->tensors[tensor];
    const struct dtx_side *src = e->plan->classes[t->class_index]->src;
    size_t term_bytes = (size_t)count * t->src_type.size_bytes;
    int sizes[DTX_AXIS_MAX];
    enum dtx_op ops[DTX_AXIS_MAX];
    struct dtx_reduction reduction = {t->src_type.dtype,
                                      src->tiling->partial_count, sizes, ops};
    const void **terms;
    int i;

    dtx_arena_reset(&e->write_scratch);
    terms = dtx_arena_alloc(&e->write_scratch, (size_t)src->term_count,
                            sizeof *terms);
    if (terms == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < src->tiling->partial_count; i++) {
        sizes[i] = src->mesh->sizes[src->tiling->partials[i].axis];
        ops[i] = src->tiling->partials[i].op;
    }
    for (i = 0; i < src->term_count; i++) {
        terms[i] = stage + (size_t)i * term_bytes;
    }
    if (dtx_reduce_terms(&reduction, terms, (size_t)count, stage) >= 0) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "reducing the pending %s values overflows",
                             dtx_dtype_name(t->src_type.dtype));
    }
    return DTX_OK;
}
