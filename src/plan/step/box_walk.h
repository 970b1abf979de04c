/*
 * Box walks: the boxes of one link, or of one part of it, in row-major order.
 *
 * A link's transfer is a product of spans per dim. Its share is cut out along
 * split_dim, then its part in every dim; what is left is walked span by span.
 */
#ifndef DTX_PLAN_STEP_BOX_WALK_H
#define DTX_PLAN_STEP_BOX_WALK_H

#include "plan/class/class.h"
#include "plan/step/link.h"

/* Whose indices a box is wanted in. */
enum dtx_indices { DTX_INDICES_SOURCE, DTX_INDICES_TARGET, DTX_INDICES_GLOBAL };

/* The spans of a pair that fall into [lo, hi) of its elements. */
struct dtx_cut_spans {
    const struct dtx_span *spans;
    int first, end;
    int64_t lo, hi;
};

struct dtx_box_walk {
    int ndim;
    bool started, is_empty;
    struct dtx_cut_spans cuts[DTX_NDIM_MAX];
    int at[DTX_NDIM_MAX];
};

/*
 * Begins a walk.
 *
 * part_counts, part  [ndim] how the tensor is cut and which part is meant;
 *                    NULL for all of it. Each transfer is cut, but where the
 *                    class has slabs the tensor's own indices
 */
void dtx_box_walk_begin(struct dtx_box_walk *walk, const struct dtx_class *c,
                        const struct dtx_link *link, const int64_t *part_counts,
                        const int64_t *part);

/* The pair of a link in each dim. pairs_out [ndim]. */
void dtx_link_pairs(const struct dtx_class *c, const struct dtx_link *link,
                    const struct dtx_pair **pairs_out);

/* Begins a walk like the one before, where the link's pairs are known. */
void dtx_box_walk_begin_pairs(struct dtx_box_walk *walk,
                              const struct dtx_class *c,
                              const struct dtx_link *link,
                              const struct dtx_pair *const *pairs,
                              const int64_t *part_counts, const int64_t *part);

/*
 * Begins a walk over what a box of a class with cuts holds of a target shard.
 * The walk's indices are the target's or global.
 *
 * lo, len  [ndim] the box, in global indices
 */
void dtx_box_walk_begin_cut(struct dtx_box_walk *walk,
                            const struct dtx_class *c, int shard,
                            const int64_t *lo, const int64_t *len);

/* Moves to the next box; false at the end. No box is empty. */
bool dtx_box_walk_next(struct dtx_box_walk *walk);

/* The box the walk stands on. lo_out, len_out [ndim]. */
void dtx_box_walk_get(const struct dtx_box_walk *walk, enum dtx_indices indices,
                      int64_t *lo_out, int64_t *len_out);

/* Its elements. */
int64_t dtx_box_walk_elements(const struct dtx_box_walk *walk);

#endif
