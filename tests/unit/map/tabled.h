/*
 * Plans for layouts given as text and one kind of tensor, without files.
 */
#ifndef TESTS_MAP_TABLED_H
#define TESTS_MAP_TABLED_H

#include "plan/plan.h"

struct tabled {
    struct dtx_diagnostics *list;
    struct dtx_layout *layouts[2];
    struct dtx_catalog catalog;
    struct dtx_plan *plan;
};

/*
 * Tensors t.0, t.1, … of extent by extent float32.
 *
 * source, target  the parts of the layouts that say who holds what; the
 *                 checkpoint's path is added
 */
void tabled_begin(struct tabled *t, const char *source, const char *target,
                  int tensor_count, int64_t extent);
void tabled_finish(struct tabled *t);

/* Plans, in place of the plan before; under `optimal` where no strategy is
 * given. The plan must succeed. */
const struct dtx_plan *tabled_plan(struct tabled *t,
                                   const struct dtx_plan_options *options);

/* Tries to plan; the error's status is DTX_OK where that succeeds. */
struct dtx_error tabled_try(struct tabled *t,
                            const struct dtx_plan_options *options);

#endif
