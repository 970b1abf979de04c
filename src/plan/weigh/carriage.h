/*
 * Where shards live while they move, and what carries them.
 */
#ifndef DTX_PLAN_WEIGH_CARRIAGE_H
#define DTX_PLAN_WEIGH_CARRIAGE_H

#include <dtx/plan.h>

/* Puts what is meant in place of AUTO. Fails with DTX_ERR_INVALID where device
 * and transport don't go together. */
enum dtx_status dtx_carriage_settle(struct dtx_plan_options *options,
                                    struct dtx_error *err);

#endif
