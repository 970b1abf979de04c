/*
 * Attributes that ranks don't agree on: carried from the lowest rank, and
 * said aloud.
 */
#ifndef DTX_PLAN_BIND_ATTRIBUTES_H
#define DTX_PLAN_BIND_ATTRIBUTES_H

#include "plan/bind/bind.h"

/*
 * The dataset whose attributes a tensor gets: the lowest rank's that has any,
 * else the lowest. Adds a warning for each attribute in which ranks differ.
 *
 * datasets  [positions] the tensor's dataset on each rank, or -1
 *
 * Returns -1 when out of memory.
 */
int dtx_attributes_choose(struct dtx_binding *binding, const char *name,
                          const int *datasets, int *dataset_out);

/* Adds a warning for each attribute of a group in which ranks differ, groups
 * matched by their path below the dataset template. -1 when out of memory. */
int dtx_attributes_check_groups(struct dtx_binding *binding);

#endif
