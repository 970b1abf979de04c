/*
 * Terms of pending reductions, as the writing end of a step puts them
 * together.
 */
#ifndef DTX_ENGINE_STEP_TERMS_H
#define DTX_ENGINE_STEP_TERMS_H

#include "engine/engine.h"

/*
 * Reduces the terms of a chunk, in place.
 *
 * stage  term after term, count elements each; the result is where the first
 *        term was
 *
 * bad_out  the element that doesn't fit, where there is one
 *
 * Fails with DTX_ERR_SOURCE where an integer overflows.
 */
enum dtx_status engine_reduce(struct engine *e, int tensor, char *stage,
                              int64_t count, int64_t *bad_out,
                              struct dtx_error *err);

/*
 * The same of any side's terms, in a type of its own.
 *
 * scratch  is reset
 */
enum dtx_status engine_reduce_terms(const struct dtx_side *side,
                                    struct dtx_type type,
                                    struct dtx_arena *scratch, char *stage,
                                    int64_t count, int64_t *bad_out,
                                    struct dtx_error *err);

/* What is told of a side's reduction. sizes, ops [DTX_AXIS_MAX] are filled and
 * borrowed. */
struct dtx_reduction engine_reduction_of(const struct dtx_side *side,
                                         enum dtx_dtype dtype, int *sizes,
                                         enum dtx_op *ops);

/* Says that reducing the values of an element overflows.
 * terms  [term_count] where the terms' elements begin */
enum dtx_status engine_refuse_terms(struct dtx_type type,
                                    const void *const *terms, int term_count,
                                    int64_t at, struct dtx_error *err);

#endif
