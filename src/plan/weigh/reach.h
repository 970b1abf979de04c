/*
 * Reach: whether what a plan sums up can be counted.
 *
 * The reach of a class is what its ranks hold in the source, what they need and
 * what they write, each term and each copy, in the wider of its types. Nothing
 * that is summed of it is more, in bytes or in elements, over all processes and
 * rounds: what is read, kept, passed on, sent, received or written. Where each
 * of the three is below 2^63 for all classes together, no sum of two such sums
 * goes past 64 bits, so that what sums them up need not look out for it.
 *
 * Cost: O(shards) for a class.
 */
#ifndef DTX_PLAN_WEIGH_REACH_H
#define DTX_PLAN_WEIGH_REACH_H

#include "plan/plan.h"

/*
 * Fails with DTX_ERR_LIMIT where the reach of the plan's classes is 2^63
 * bytes or more, whatever process hosts which rank. All positions are hosted.
 */
enum dtx_status dtx_reach_check(const struct dtx_plan *plan,
                                struct dtx_error *err);

/*
 * The same of the way that classes go under a strategy, of which some get more
 * than they need; here what processes have counts once for each.
 *
 * classes  [class_count of the plan]
 */
enum dtx_status dtx_reach_check_way(const struct dtx_plan *plan,
                                    enum dtx_strategy strategy,
                                    struct dtx_class *const *classes,
                                    struct dtx_error *err);

/* DTX_ERR_LIMIT and a message: `what` is 2^63 bytes or more. */
enum dtx_status dtx_reach_refuse(const char *what, struct dtx_error *err);

#endif
