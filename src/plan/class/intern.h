/*
 * Interning: equal tilings, sides and classes are made once.
 *
 * Equality is by content, not by rule: a manifest gives each tensor a rule of
 * its own, and equal layers still share everything.
 */
#ifndef DTX_PLAN_CLASS_INTERN_H
#define DTX_PLAN_CLASS_INTERN_H

#include "plan/class/class.h"
#include "util/arena.h"
#include "util/names.h"
#include "util/text.h"

struct dtx_intern {
    struct dtx_arena *arena; /* everything made lives here */
    /* A target's pending reductions are no terms: the value stands where the
     * presence says, so its tilings have none. NULL: no target. */
    const struct dtx_layout *target;
    const struct dtx_plan_options *options; /* of the plan of its classes */
    struct dtx_names tiling_keys;
    const struct dtx_tiling **tilings;
    size_t tiling_count, tiling_capacity;
    struct dtx_names side_keys;
    struct dtx_side **sides;
    size_t side_count, side_capacity;
    struct dtx_names overlap_keys;
    const struct dtx_overlap **overlaps;
    size_t overlap_count, overlap_capacity;
    struct dtx_names class_keys;
    struct dtx_class **classes;
    size_t class_count, class_capacity;
    struct dtx_text key; /* scratch */
};

void dtx_intern_finish(struct dtx_intern *intern);

/* As dtx_tiling_create(); made anew only for a new content. */
const struct dtx_tiling *
dtx_intern_tiling(struct dtx_intern *intern, const struct dtx_layout *layout,
                  const struct dtx_rule *rule, const char *name, int ndim,
                  const int64_t *shape, struct dtx_diagnostics *list);

/* The side of a tiling and a presence under a map; NULL when out of memory. */
const struct dtx_side *dtx_intern_side(struct dtx_intern *intern,
                                       const struct dtx_layout *layout,
                                       const struct dtx_tiling *tiling,
                                       const struct dtx_presence *presence,
                                       const int *processes);

/* The class of two sides, under `optimal`; NULL when out of memory. */
struct dtx_class *dtx_intern_class(struct dtx_intern *intern,
                                   const struct dtx_side *src,
                                   const struct dtx_side *dst,
                                   struct dtx_type src_type,
                                   struct dtx_type dst_type);

#endif
