/*
 * Totals: what each process reads, keeps, sends, receives and writes.
 *
 * Found by arithmetic on classes, not by listing transfers: a shard that one
 * process holds is sent as often as others need it; what a process keeps is
 * the overlap of its own shards. Only where several processes hold a source
 * shard are its receivers gone through.
 */
#ifndef DTX_PLAN_WEIGH_TOTALS_H
#define DTX_PLAN_WEIGH_TOTALS_H

#include "plan/plan.h"

/*
 * Adds what count tensors of a class cost under its strategy to the
 * processes' sums.
 *
 * processes  [process_count]
 *
 * Returns -1 when out of memory.
 */
int dtx_class_add_costs(const struct dtx_plan *plan, const struct dtx_class *c,
                        int64_t count, struct dtx_process_cost *processes);

/* Adds what processes read and send of shards that nobody else holds. */
void dtx_class_add_sole(const struct dtx_class *c, uint64_t count,
                        struct dtx_process_cost *processes);

/*
 * Adds what processes can't help sending and receiving for count tensors:
 * once, what nobody else holds and someone else needs, and what they need and
 * don't hold.
 */
void dtx_class_add_forced(const struct dtx_class *c, int64_t count,
                          struct dtx_process_cost *processes);

/*
 * Sets c->needed and c->lacking: the bytes, for one tensor, that each process
 * needs for its target shards, and those of them that its source shards don't
 * have, summed over processes. Nothing can move less under this map.
 */
void dtx_class_measure(struct dtx_class *c);

#endif
