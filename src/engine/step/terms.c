#include "engine/step/terms.h"

#include "layout/convert.h"
#include "layout/reduce.h"
#include "util/error.h"
#include "util/text.h"

enum { VALUE_BYTES = 64, VALUES_MOST = 8 /* that a message names */ };

/* "reducing the pending int8 values 100, 28 overflows". */
enum dtx_status
engine_refuse_terms(struct dtx_type type, const void *const *terms,
                    int term_count, int64_t at, struct dtx_error *err)
{
    struct dtx_text text = {0};
    char value[VALUE_BYTES];
    int i;

    for (i = 0; i < term_count && i < VALUES_MOST; i++) {
        dtx_convert_describe(
            type.dtype, (const char *)terms[i] + (size_t)at * type.size_bytes,
            value);
        dtx_text_format(&text, "%s%s", i == 0 ? "" : ", ", value);
    }
    dtx_text_add(&text, term_count > VALUES_MOST ? ", …" : "");
    dtx_error_set(
        err, DTX_ERR_SOURCE, "reducing the pending %s values %s overflows",
        dtx_dtype_name(type.dtype), text.data == NULL ? "" : text.data);
    dtx_text_finish(&text);
    return DTX_ERR_SOURCE;
}

struct dtx_reduction
engine_reduction_of(const struct dtx_side *side, enum dtx_dtype dtype,
                    int *sizes, enum dtx_op *ops)
{
    int i, count = side->tiling->partial_count;

    for (i = 0; i < count; i++) {
        sizes[i] = side->mesh->sizes[side->tiling->partials[i].axis];
        ops[i] = side->tiling->partials[i].op;
    }
    return (struct dtx_reduction){dtype, count, sizes, ops};
}

enum dtx_status
engine_reduce_terms(const struct dtx_side *side, struct dtx_type type,
                    struct dtx_arena *scratch, char *stage, int64_t count,
                    int64_t *bad_out, struct dtx_error *err)
{
    size_t term_bytes = (size_t)count * type.size_bytes;
    int sizes[DTX_AXIS_MAX];
    enum dtx_op ops[DTX_AXIS_MAX];
    struct dtx_reduction reduction =
        engine_reduction_of(side, type.dtype, sizes, ops);
    const void **terms;
    int64_t bad;
    int i;

    dtx_arena_reset(scratch);
    terms = dtx_arena_alloc(scratch, (size_t)side->term_count, sizeof *terms);
    if (terms == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < side->term_count; i++) {
        terms[i] = stage + (size_t)i * term_bytes;
    }
    bad = dtx_reduce_terms(&reduction, terms, (size_t)count, stage);
    if (bad >= 0) {
        *bad_out = bad;
        return engine_refuse_terms(type, terms, side->term_count, bad, err);
    }
    return DTX_OK;
}

enum dtx_status
engine_reduce(struct engine *e, int tensor, char *stage, int64_t count,
              int64_t *bad_out, struct dtx_error *err)
{
    const struct dtx_tensor *t = &e->plan->tensors[tensor];

    return engine_reduce_terms(e->plan->classes[t->class_index]->src,
                               t->src_type, &e->write_scratch, stage, count,
                               bad_out, err);
}
