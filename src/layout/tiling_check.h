/*
 * What can be wrong with a rule once the shape of a tensor is known.
 *
 * Each function adds its mistakes to the list, with the marks of the rule,
 * and says whether there were none.
 */
#ifndef DTX_LAYOUT_TILING_CHECK_H
#define DTX_LAYOUT_TILING_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/runs.h"

/* The tensor a tiling is built for, and where mistakes go. */
struct dtx_subject {
    const struct dtx_layout *layout;
    const struct dtx_rule *rule;
    const char *name;
    int ndim;
    const int64_t *shape; /* [ndim] logical */
    struct dtx_diagnostics *list;
};

/* A dim as written, counted from the front; -1 where it doesn't exist. */
int dtx_dim_resolve(int dim, int ndim);

/* Every shard names a dim of the tensor. */
bool dtx_check_dims(const struct dtx_subject *subject);

/* `pad` names dims of the tensor, each once, and shortens none.
 * stored_out [ndim] the stored shape. */
bool dtx_check_pad(const struct dtx_subject *subject, int64_t *stored_out);

/* Lengths given with a placement sum to the stored extent of its dim;
 * is_first: no earlier axis shards the dim. */
bool dtx_check_lengths(const struct dtx_subject *subject,
                       const struct dtx_placement *placement, int dim,
                       int64_t stored, bool is_first);

/* Reports why a placement could not cut a dim. */
void dtx_report_uneven(const struct dtx_subject *subject,
                       const struct dtx_placement *placement, int dim,
                       int64_t stored, const struct dtx_uneven *uneven);
void dtx_report_too_many(const struct dtx_subject *subject,
                         const struct dtx_placement *placement, int dim);
void dtx_report_too_large(const struct dtx_subject *subject);

#endif
