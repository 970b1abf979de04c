/*
 * Scales: what classes cost, one at a time.
 */
#ifndef DTX_PLAN_WEIGH_SCALE_H
#define DTX_PLAN_WEIGH_SCALE_H

#include "plan/weigh/cost.h"
#include "plan/weigh/crossings.h"

/*
 * What one class adds to the processes, and the room to find it. Only the
 * processes that a class concerns are looked at: a model of experts has
 * thousands of classes that concern a few processes each.
 */
struct dtx_scale {
    const struct dtx_plan *plan;
    struct dtx_site site;
    struct dtx_process_cost *costs; /* [process_count] */
    struct dtx_work *works;         /* [process_count] */
    struct dtx_crossings crossings;
    double setup_seconds; /* of the target, whatever the strategy */
    uint64_t put_count;   /* classes that were put on it so far */
    int concerned_count;
    int *concerned;     /* [process_count] processes, ascending */
    bool *is_concerned; /* [process_count] */
};

/* Sets all but setup_seconds; to be finished, also where it returns -1: out of
 * memory. */
int dtx_scale_begin(struct dtx_scale *scale, const struct dtx_plan *plan);
void dtx_scale_finish(struct dtx_scale *scale);

/* Puts all tensors of a class on the scale, alone. Returns -1 when out of
 * memory. */
int dtx_scale_put(struct dtx_scale *scale, struct dtx_class *c);

/* The seconds that what is on it takes by itself, in endless steps. */
double dtx_scale_class_seconds(const struct dtx_scale *scale);

/*
 * The seconds that a plan takes, but for the setup.
 *
 * works  [process_count]
 */
double dtx_scale_seconds(const struct dtx_scale *scale,
                         const struct dtx_work *works, int64_t step_count,
                         struct dtx_stage_seconds *stages_out);

#endif
