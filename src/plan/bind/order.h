/*
 * The order in which tensors are moved.
 *
 * Tensors of different holders take turns, so that the steps have work for all
 * processes: file by file, as they are found, experts or layers would keep one
 * process busy after another. Those with the same holders keep their order,
 * and all are done with nearly the same part of their bytes at any time.
 *
 * Only the layouts count, not who hosts which rank: the same files are written
 * whatever the number of processes.
 */
#ifndef DTX_PLAN_BIND_ORDER_H
#define DTX_PLAN_BIND_ORDER_H

struct dtx_plan;

/* Puts the bound tensors of a plan in that order. Returns -1 when out of
 * memory. Cost: O(tensors * log of them). */
int dtx_order_tensors(struct dtx_plan *plan);

#endif
