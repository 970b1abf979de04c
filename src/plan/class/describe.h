/*
 * Placements in words, for tables: "shard(0) tp/4, shard(1) dp/2".
 */
#ifndef DTX_PLAN_CLASS_DESCRIBE_H
#define DTX_PLAN_CLASS_DESCRIBE_H

#include "layout/tiling.h"
#include "util/names.h"

/* The words for a rule, interned in names; NULL when out of memory. */
const char *dtx_describe_placements(const struct dtx_layout *layout,
                                    const struct dtx_rule *rule, int ndim,
                                    struct dtx_names *names);

#endif
